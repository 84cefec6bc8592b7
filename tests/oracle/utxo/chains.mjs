// The chains, and keys and numbers that are the same in every run.
import { createHash } from "node:crypto";
import { initWasm } from "@trustwallet/wallet-core";
import * as bitcoin from "bitcoinjs-lib";
import { ECPairFactory } from "ecpair";
import Long from "long";
import * as curve from "tiny-secp256k1";
import { encode } from "../payload.mjs";

export const core = await initWasm();
bitcoin.initEccLib(curve);
export const ECPair = ECPairFactory(curve);
export const ALL = bitcoin.Transaction.SIGHASH_ALL;
// What the runner gives as the branch of Zcash; the real ones are the reverse of what nodes show.
export const BRANCH = Buffer.from("c2d6d0b4", "hex");

const net = (bech32, pubKeyHash, scriptHash) => ({ ...bitcoin.networks.bitcoin, bech32, pubKeyHash, scriptHash });
export const chains = {
  Bitcoin: { type: core.CoinType.bitcoin, dust: 546, segwit: true, path: "m/84'/0'/0'/0/0", net: net("bc", 0, 5) },
  Litecoin: { type: core.CoinType.litecoin, dust: 2940, segwit: true, path: "m/84'/2'/0'/0/0", net: net("ltc", 48, 50) },
  Dogecoin: { type: core.CoinType.dogecoin, dust: 1_000_000, path: "m/44'/3'/0'/0/0", net: net("-", 30, 22) },
  Dash: { type: core.CoinType.dash, dust: 1000, path: "m/44'/5'/0'/0/0", net: net("-", 76, 16) },
  "Bitcoin-Cash": { type: core.CoinType.bitcoinCash, dust: 1000, path: "m/44'/145'/0'/0/0", fork: true },
  Zcash: { type: core.CoinType.zcash, dust: 1000, zcash: true },
};

export const digest = (text) => createHash("sha256").update(`countersign utxo ${text}`).digest();
export const hex = (bytes) => Buffer.from(bytes).toString("hex");
export const number = (text, below) => Number(BigInt(`0x${hex(digest(text))}`) % BigInt(below));
export const long = (value) => Long.fromString(value.toString());

// A key of this case and its address without the prefix of Bitcoin Cash.
export function account(chain, text) {
  const secret = digest(`${text} key`);
  const pair = ECPair.fromPrivateKey(secret);
  const address = core.CoinTypeExt.deriveAddress(chains[chain].type, core.PrivateKey.createWithData(secret));
  return { secret, pair, key: pair.publicKey, address: address.replace("bitcoincash:", "") };
}

export const lockScript = (chain, address) =>
  core.BitcoinScript.lockScriptForAddress(chain === "Bitcoin-Cash" ? `bitcoincash:${address}` : address, chains[chain].type);

export function coinOf(chain, own) {
  return { chain, ticker: chain, address: own.address, decimals: 8, is_native_token: true, hex_public_key: hex(own.key) };
}

export function golden(name, own, payload, { hashes, raw, id }) {
  return {
    name,
    private_key_hex: hex(own.secret),
    curve: "secp256k1",
    keysign_payload_base64: encode(payload),
    expected: { imageHashes: hashes, rawTransaction: raw, transactionHash: id },
  };
}
