// The vault's chains with their addresses, and its tokens.

import { getVaults } from "../api";
import { fill, h } from "../element";
import { plural, t } from "../i18n";
import { emptyState, loading, problem } from "../parts";
import { plain } from "../plain";
import { openSetup } from "../vaults/setup";
import type { Surroundings, View } from "../view";
import { addChainForm } from "../wallet/add-form";
import { loadHoldings, type Holding } from "../wallet/coins";
import { holdingRow } from "../wallet/holding";

export class WalletView implements View {
  readonly element: HTMLElement;
  readonly #vault = h("span", { class: "muted small", "data-testid": "wallet-vault" });
  readonly #form = addChainForm(() => void this.#load());
  readonly #list = h("div", { class: "contacts" }, loading(t("wallet_loading")));

  constructor(private readonly around: Surroundings) {
    this.#form.hidden = true;
    this.element = h(
      "section",
      { class: "view page", "aria-label": t("wallet_title") },
      h("div", { class: "title-row" }, h("h1", {}, t("wallet_title")), this.#vault),
      this.#form,
      this.#list,
    );
  }

  show(): void {
    this.around.listen(undefined, {
      event: ({ event }) => {
        if (event === "vaultModified") void this.#load();
      },
      reload: () => void this.#load(),
    });
  }

  async #load(): Promise<void> {
    try {
      const vault = (await getVaults()).find(({ active }) => active);
      const holdings = vault ? await loadHoldings() : [];
      this.#form.hidden = !vault;
      this.#vault.textContent = vault ? described(vault.name, holdings) : "";
      if (!vault) fill(this.#list, noVault());
      else if (holdings.length === 0) fill(this.#list, nothing());
      else fill(this.#list, h("ul", {}, ...holdings.map((holding) => holdingRow(holding, () => void this.#load()))));
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.#load()),
      );
    }
  }
}

function noVault(): HTMLElement {
  const attributes = { type: "button", class: "primary", "data-testid": "wallet-setup", on: { click: openSetup } };
  const text = t("wallet_no_vault_text");
  return emptyState("wallet", t("wallet_no_vault"), text, h("button", attributes, t("vaults_set_up")));
}

function described(name: string, holdings: readonly Holding[]): string {
  const tokens = holdings.reduce((sum, holding) => sum + holding.tokens.length, 0);
  const chainWords = t(plural(holdings.length, "wallet_chains_one", "wallet_chains_other"), holdings.length);
  const tokenWords = t(plural(tokens, "wallet_tokens_one", "wallet_tokens_other"), tokens);
  const held = tokens > 0 ? [chainWords, tokenWords] : [chainWords];
  return `${plain(name)} · ${held.join(", ")}`;
}

function nothing(): HTMLElement {
  const text = t("wallet_empty_text");
  return emptyState("wallet", t("wallet_empty"), text);
}
