// The vault's chains with their addresses, and its tokens.

import { getVaults } from "../api";
import { fill, h } from "../element";
import { count } from "../format";
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
  readonly #list = h("div", { class: "contacts" }, loading("Loading the wallet"));

  constructor(private readonly around: Surroundings) {
    this.#form.hidden = true;
    this.element = h(
      "section",
      { class: "view page", "aria-label": "Wallet" },
      h("div", { class: "title-row" }, h("h1", {}, "Wallet"), this.#vault),
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
  const text = "A vault holds your keys and gives you an address on every chain. It takes a minute.";
  return emptyState("wallet", "No vault yet", text, h("button", attributes, "Set up your vault"));
}

function described(name: string, holdings: readonly Holding[]): string {
  const tokens = holdings.reduce((sum, holding) => sum + holding.tokens.length, 0);
  const held = [count(holdings.length, "chain"), ...(tokens > 0 ? [count(tokens, "token")] : [])];
  return `${plain(name)} · ${held.join(", ")}`;
}

function nothing(): HTMLElement {
  const text = "Add a chain above, or ask the agent, for example “add USDC on Ethereum and Base”.";
  return emptyState("wallet", "No chains yet", text);
}
