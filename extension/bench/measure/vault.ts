// A vault for each side. Ours derives from public keys alone; the peer cannot, and derives from an already stretched
// seed with private keys.

import type { WalletCore } from "@trustwallet/wallet-core/dist/src/wallet-core";
import { WORDS } from "./phrase";

export const VAULT = {
  ecdsa: "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  eddsa: "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c",
  chainCode: "0101010101010101010101010101010101010101010101010101010101010101",
};

/** The peer's names of our 38 chains, or of a chain with the same keys and addresses. */
const COINS = [
  ...["ethereum", "arbitrum", "avalancheCChain", "base", "blast", "smartChain", "cronosChain", "ethereum"],
  ...["mantle", "optimism", "polygon", "ethereum", "ethereum", "zksync"],
  ...["bitcoin", "litecoin", "dogecoin", "dash", "bitcoinCash", "zcash"],
  ...["thorchain", "thorchain", "cosmos", "osmosis", "dydx", "kujira", "terraV2", "terra", "noble", "akash"],
  ...["solana", "sui", "polkadot", "polkadot", "ton", "xrp", "tron", "cardano"],
];

export function peerAddresses(core: WalletCore): () => string[] {
  const wallet = core.HDWallet.createWithMnemonic(WORDS, "");
  const types = core.CoinType as unknown as Record<string, Parameters<typeof wallet.getAddressForCoin>[0]>;
  const coins = COINS.map((name) => {
    const coin = types[name];
    if (!coin) throw new Error(`wallet-core has no coin ${name}`);
    return coin;
  });
  return () => coins.map((coin) => wallet.getAddressForCoin(coin));
}
