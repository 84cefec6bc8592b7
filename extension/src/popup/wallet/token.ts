// One token of the vault: its ticker and its contract; removed with two presses. What the user has not confirmed says so.

import type { Coin } from "../../../generated/Coin";
import { adderWords, unconfirmedBox } from "../added-by";
import { confirmToken, removeToken } from "../api";
import { fill, h } from "../element";
import { shortAddress } from "../format";
import { t } from "../i18n";
import { confirmInline, iconButton, problem, whileBusy } from "../parts";
import { plain } from "../plain";

export function tokenRow(coin: Coin, changed: () => void): HTMLElement {
  const { chain, contractAddress: contract = "" } = coin;
  const ticker = plain(coin.ticker);
  const row = h("li", { "data-testid": "wallet-token", "data-contract": contract });
  const rest = (): void => fill(row, ...resting(coin, ask, changed));

  function ask(): void {
    const question = t("wallet_remove_question", ticker, chain);
    fill(row, confirmInline({ question, yes: t("wallet_remove_yes"), testId: "wallet-remove", confirmed, kept }));
    row.querySelector("button")?.focus();
  }

  function kept(): void {
    rest();
    row.querySelector<HTMLElement>("[data-testid=wallet-remove]")?.focus();
  }

  async function remove(button: HTMLButtonElement): Promise<void> {
    try {
      await whileBusy(button, t("wallet_removing"), async () => {
        await removeToken(chain, contract);
      });
      changed();
    } catch (error) {
      rest();
      row.append(problem(error));
    }
  }

  const confirmed = (button: HTMLButtonElement): void => void remove(button);
  rest();
  return row;
}

function resting(coin: Coin, ask: () => void, changed: () => void): HTMLElement[] {
  const { contractAddress: contract = "", confirmed } = coin;
  const ticker = plain(coin.ticker);
  return [
    h("strong", {}, ticker),
    h("span", { class: "address", title: contract }, confirmed ? shortAddress(contract) : contract),
    iconButton("bin", t("wallet_remove", ticker), ask, "wallet-remove"),
    ...(confirmed ? [] : [unconfirmed(coin, changed)]),
  ];
}

function unconfirmed(coin: Coin, changed: () => void): HTMLElement {
  const { chain, contractAddress: contract = "", decimals, decimalsFrom, addedBy } = coin;
  const claim = t(decimalsFrom === "request" ? "wallet_not_checked" : "wallet_not_verified", decimals);
  return unconfirmedBox({
    mark: t("wallet_added_by", adderWords(addedBy)),
    details: [h("span", {}, claim)],
    label: t("wallet_confirm", plain(coin.ticker)),
    testId: "token",
    confirm: () => confirmToken(chain, contract),
    changed,
  });
}
