// The user's own rules, which apply to the agent and to every site.

import type { Policy } from "../../../../generated/Policy";
import { getCoins, getPolicy, putPolicy } from "../../api";
import { fill, h } from "../../element";
import { t } from "../../i18n";
import { loading, problem } from "../../parts";
import { killSwitch } from "./kill-switch";
import { limits } from "./limits";
import { addressList, CONTRACTS, RECIPIENTS } from "./lists";
import type { Change, Section } from "./rules";
import { toolDecisions } from "./tools";

export class PolicyPanel {
  readonly element: HTMLElement;
  readonly #body = h("div", { class: "rule-sections" }, loading(t("settings_rules_loading")));
  readonly #sections: readonly Section[];

  constructor() {
    // The change is applied to the current rules, so that a change of another page is kept.
    const change: Change = async (edit, password) =>
      this.#show(await putPolicy(edit(await getPolicy()), password));
    this.#sections = [
      killSwitch(change),
      limits(change),
      addressList(RECIPIENTS, change),
      addressList(CONTRACTS, change),
      toolDecisions(change),
    ];
    this.element = h(
      "section",
      { class: "panel", "aria-label": t("settings_rules") },
      h("h2", {}, t("settings_rules_yours")),
      h("p", { class: "hint" }, t("settings_rules_hint")),
      this.#body,
    );
  }

  async load(): Promise<void> {
    try {
      await this.#show(await getPolicy());
      fill(this.#body, ...this.#sections.map(({ element }) => element));
    } catch (error) {
      fill(
        this.#body,
        problem(error, () => void this.load()),
      );
    }
  }

  async #show(policy: Policy): Promise<void> {
    // Without a vault there are no coins, and amounts are shown in smallest units.
    const coins = await getCoins().catch(() => []);
    for (const section of this.#sections) section.show(policy, coins);
  }
}
