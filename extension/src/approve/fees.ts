// The fee of transactions that the wallet filled in: slow, normal, fast, or the user's own. A choice is other bytes: the core
// replaces the prompt, and the page shows the new one.

import type { Bundle } from "../../generated/Bundle";
import type { ChooseFee } from "../../generated/ChooseFee";
import type { FeeChoice } from "../../generated/FeeChoice";
import type { FeeOption } from "../../generated/FeeOption";
import type { Speed } from "../../generated/Speed";
import { chooseFee } from "../popup/api";
import { fill, h } from "../popup/element";
import { field, lineInput } from "../popup/field";
import { t } from "../popup/i18n";
import { problem, whileBusy } from "../popup/parts";
import { gweiOf, weiOf } from "./gwei";

const NAMES: Record<Speed, string> = {
  slow: t("fee_slow"),
  normal: t("fee_normal"),
  fast: t("fee_fast"),
  own: t("fee_own"),
  page: t("fee_page"),
};

/** Nothing for a bundle whose fee is its sender's. */
export function feePart({ id, fees }: Bundle): HTMLElement | undefined {
  return fees && new Fees(id, fees).element;
}

class Fees {
  readonly element: HTMLElement;
  readonly #wrong = h("div", { role: "alert" });

  constructor(
    private readonly bundleId: string,
    private readonly fees: FeeChoice,
  ) {
    const { chosen, now, options, transactions } = fees;
    this.element = h(
      "section",
      { class: "fees", "aria-label": t("fee_title"), "data-testid": "fees", "data-chosen": chosen },
      h("h2", {}, t("fee_title")),
      chosen === "page" && h("p", { class: "muted small" }, `${NAMES.page}: ${costOf(now)}`),
      h("div", { class: "fee-options" }, ...options.map((option) => this.#option(option))),
      this.#own(),
      transactions > 1 && h("p", { class: "hint" }, t("fee_all_steps", transactions)),
      this.#wrong,
    );
  }

  #option(option: FeeOption): HTMLElement {
    const { speed, likely, atMost } = option;
    const button = h(
      "button",
      {
        type: "button",
        class: "fee-option",
        "data-testid": `fee-${speed}`,
        "aria-pressed": String(speed === this.fees.chosen),
      },
      h("b", {}, NAMES[speed]),
      h("span", {}, t("fee_cost", likely.shown)),
      h("span", { class: "muted small" }, t("fee_at_most", atMost.shown)),
    );
    button.addEventListener("click", () => void this.#choose(button, { speed }));
    return button;
  }

  #own(): HTMLElement {
    const { chosen, now, gasLimit, transactions } = this.fees;
    const { price } = now;
    const number = (testId: string, value: string): HTMLInputElement =>
      lineInput({ inputmode: "decimal", "data-testid": testId, value });
    const max = number("fee-own-max", gweiOf(price.kind === "dynamic" ? price.maxFee : price.gasPrice));
    const tip = price.kind === "dynamic" ? number("fee-own-tip", gweiOf(price.priorityFee)) : undefined;
    const gas = transactions === 1 ? number("fee-own-gas", String(gasLimit)) : undefined;
    const set = h("button", { type: "submit", "data-testid": "fee-own-set" }, t("fee_set"));
    const form = h(
      "form",
      { class: "fee-own" },
      field(t("fee_max"), max),
      tip && field(t("fee_tip"), tip),
      gas && field(t("fee_gas"), gas),
      set,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [maxFeePerGas, priority] = [weiOf(max.value), tip && weiOf(tip.value)];
      if (maxFeePerGas === undefined || (tip && priority === undefined)) return fill(this.#wrong, t("fee_not_number"));
      const limit = gas && gas.value.trim() !== String(gasLimit) ? { gasLimit: gas.value.trim() } : {};
      const tips = priority === undefined ? {} : { maxPriorityFeePerGas: priority };
      void this.#choose(set, { own: { maxFeePerGas, ...tips, ...limit } });
    });
    const words = chosen === "own" ? `${NAMES.own}: ${costOf(now)}` : NAMES.own;
    const summary = h("summary", { "data-testid": "fee-own", "aria-pressed": String(chosen === "own") }, words);
    return h("details", { class: "choice" }, summary, form);
  }

  async #choose(button: HTMLButtonElement, choice: ChooseFee): Promise<void> {
    fill(this.#wrong);
    await whileBusy(button, t("fee_setting"), async () => {
      try {
        await chooseFee(this.bundleId, choice);
      } catch (error) {
        fill(this.#wrong, problem(error));
      }
    });
  }
}

const costOf = ({ likely, atMost }: FeeOption): string =>
  `${t("fee_cost", likely.shown)}, ${t("fee_at_most", atMost.shown)}`;
