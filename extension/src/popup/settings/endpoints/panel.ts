// The nodes of each chain.

import type { Endpoint } from "../../../../generated/Endpoint";
import { CHAIN_NAMES, DEFAULT_ENDPOINTS } from "../../../../generated/chains";
import { changeSettings, getCoins, getSettings } from "../../api";
import { fill, h } from "../../element";
import { choice, field } from "../../field";
import { plural, t } from "../../i18n";
import { loading, problem, whileBusy } from "../../parts";
import { plain } from "../../plain";
import { endpointForm } from "./form";

type Endpoints = Readonly<Record<string, Endpoint | undefined>>;

export class EndpointsPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading(t("settings_endpoints_loading")));
  readonly #more = h("details", {});

  constructor() {
    this.element = h(
      "section",
      { class: "panel rule-section", "aria-label": t("settings_endpoints"), "data-testid": "endpoints" },
      h("h2", {}, t("settings_endpoints")),
      h("p", { class: "hint" }, t("settings_endpoints_hint")),
      this.#list,
      this.#more,
    );
  }

  async load(): Promise<void> {
    try {
      // Without a vault there are no coins; chosen endpoints are still shown.
      const [{ endpoints }, coins] = await Promise.all([getSettings(), getCoins().catch(() => [])]);
      // An open form is not replaced.
      if (this.#list.querySelector("form")) return;
      const shown = chainsInUse(
        coins.map(({ chain }) => chain),
        endpoints,
      );
      this.#show(shown, endpoints);
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #show(shown: readonly string[], endpoints: Endpoints): void {
    const rows = shown.map((chain) => this.#row(chain, endpoints[chain]));
    fill(
      this.#list,
      rows.length === 0
        ? h("p", { class: "muted" }, t("settings_endpoints_none"))
        : h("ul", { class: "rules" }, ...rows),
    );
    const others = CHAIN_NAMES.filter((chain) => !shown.includes(chain));
    const chain = choice(
      others.map((name) => [name, name] as const),
      { "data-testid": "endpoint-chain" },
    );
    const form = endpointForm(
      () => chain.value,
      undefined,
      (changed) => {
        this.#more.open = false;
        if (changed) void this.load();
      },
    );
    form.prepend(field(t("settings_chain"), chain));
    this.#more.hidden = others.length === 0;
    fill(this.#more, h("summary", { "data-testid": "endpoint-more" }, t("settings_endpoint_more")), form);
  }

  #row(chain: string, endpoint: Endpoint | undefined): HTMLElement {
    const slot = h("div", { class: "vault-task" });
    const change = h(
      "button",
      { type: "button", "aria-label": t("settings_endpoint_change_of", chain), "data-testid": "endpoint-change" },
      t("settings_endpoint_change"),
    );
    change.addEventListener("click", () => {
      const form = endpointForm(
        () => chain,
        endpoint,
        (changed) => {
          fill(slot);
          change.focus();
          if (changed) void this.load();
        },
      );
      fill(slot, form);
      form.querySelector("input")?.focus();
    });
    return h(
      "li",
      { "data-testid": `endpoint-${chain}`, "data-custom": String(endpoint !== undefined) },
      h(
        "span",
        { class: "rule-main" },
        h("strong", {}, chain),
        h("span", { class: "muted small" }, endpointWords(chain, endpoint)),
      ),
      change,
      endpoint && this.#removal(chain, slot),
      slot,
    );
  }

  #removal(chain: string, slot: HTMLElement): HTMLElement {
    const remove = h(
      "button",
      {
        type: "button",
        "aria-label": t("settings_endpoint_default_of", chain),
        "data-testid": "endpoint-remove",
      },
      t("settings_endpoint_default"),
    );
    remove.addEventListener("click", () => {
      fill(slot);
      const change = async (): Promise<void> => void (await changeSettings({ endpoints: { [chain]: null } }));
      whileBusy(remove, t("settings_removing"), change).then(
        () => this.load(),
        (error: unknown) => fill(slot, problem(error)),
      );
    });
    return remove;
  }
}

/** The chains of the vault's coins and those with chosen nodes, in the table's order. */
export function chainsInUse(held: readonly string[], endpoints: Endpoints): string[] {
  return CHAIN_NAMES.filter((chain) => held.includes(chain) || endpoints[chain] !== undefined);
}

/** A text for a chain's nodes. */
export function endpointWords(chain: string, endpoint: Endpoint | undefined): string {
  if (endpoint === undefined) {
    const standard = (DEFAULT_ENDPOINTS as Record<string, string>)[chain] ?? "";
    return t("settings_endpoint_is_default", standard);
  }
  const others = endpoint.others.length;
  if (others === 0) return plain(endpoint.url);
  return t(plural(others, "settings_endpoint_and_one", "settings_endpoint_and_other"), others, plain(endpoint.url));
}
