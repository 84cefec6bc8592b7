// The vault's coins by chain, and the tool that adds a chain on behalf of the user.

import type { AddedChain } from "../../../generated/AddedChain";
import type { Coin } from "../../../generated/Coin";
import { getCoins, runAction } from "../api";
import { t } from "../i18n";
import { onlyRow } from "../result";

/** A chain of the vault: its native coin and its tokens. */
export interface Holding {
  native: Coin;
  tokens: Coin[];
}

export async function loadHoldings(): Promise<Holding[]> {
  return byChain(await getCoins());
}

/** Each chain's native coin comes before its tokens. */
export function byChain(coins: readonly Coin[]): Holding[] {
  const holdings: Holding[] = [];
  for (const coin of coins) {
    const last = holdings.at(-1);
    if (coin.isNative) holdings.push({ native: coin, tokens: [] });
    else if (last?.native.chain === coin.chain) last.tokens.push(coin);
  }
  return holdings;
}

export async function addChain(chain: string): Promise<void> {
  onlyRow<AddedChain>(await runAction("add_chain", t("wallet_add", chain), { chains: [{ chain }] }));
}
