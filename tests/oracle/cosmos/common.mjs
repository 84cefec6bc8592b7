// What the cases of Cosmos chains share: the chains, an account to sign for, Wallet Core to sign and CosmJS to check it.
import assert from "node:assert";
import { createHash } from "node:crypto";
import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromBase64, fromBech32, toBase64, toBech32, toHex } from "@cosmjs/encoding";
import { decodeTxRaw, encodePubkey, makeSignBytes, makeSignDoc, Registry } from "@cosmjs/proto-signing";
import { defaultRegistryTypes } from "@cosmjs/stargate";
import { initWasm, TW } from "@trustwallet/wallet-core";
import { MsgExec } from "cosmjs-types/cosmos/authz/v1beta1/tx";
import { TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { MsgExecuteContract } from "cosmjs-types/cosmwasm/wasm/v1/tx";
import Long from "long";
import protobuf from "protobufjs";
import { encode } from "../payload.mjs";

export const core = await initWasm();
export const Proto = TW.Cosmos.Proto;

export const digest = (text) => createHash("sha256").update(`countersign cosmos ${text}`).digest();
export const number = (text, bits) => BigInt(`0x${digest(text).toString("hex")}`) % 2n ** BigInt(bits);
export const long = (value) => Long.fromString(value.toString());
export const sum = (name, bits = 40) => (1n + number(`${name} amount`, bits)).toString();

export const chains = {
  Cosmos: ["cosmos", "cosmoshub-4", "uatom", 200_000n, "ATOM", 6],
  Osmosis: ["osmo", "osmosis-1", "uosmo", 300_000n, "OSMO", 6],
  Dydx: ["dydx", "dydx-mainnet-1", "adydx", 200_000n, "DYDX", 18],
  Kujira: ["kujira", "kaiyo-1", "ukuji", 200_000n, "KUJI", 6],
  Terra: ["terra", "phoenix-1", "uluna", 300_000n, "LUNA", 6],
  TerraClassic: ["terra", "columbus-5", "uluna", 300_000n, "LUNC", 6],
  Noble: ["noble", "noble-1", "uusdc", 200_000n, "USDC", 6],
  Akash: ["akash", "akashnet-2", "uakt", 200_000n, "AKT", 6],
  THORChain: ["thor", "thorchain-1", "rune", 20_000_000n, "RUNE", 8],
  MayaChain: ["maya", "mayachain-mainnet-v1", "cacao", 2_000_000_000n, "CACAO", 10],
};
export const vaultBased = new Set(["THORChain", "MayaChain"]);

// THORChain's messages, which neither CosmJS nor its types have.
const thor = protobuf.parse(`syntax = "proto3"; package types;
  message Coin { string denom = 1; string amount = 2; }
  message MsgSend { bytes from_address = 1; bytes to_address = 2; repeated Coin amount = 3; }
  message Asset { string chain = 1; string symbol = 2; string ticker = 3; bool synth = 4; bool trade = 5; bool secured = 6; }
  message AssetCoin { Asset asset = 1; string amount = 2; int64 decimals = 3; }
  message MsgDeposit { repeated AssetCoin coins = 1; string memo = 2; bytes signer = 3; }`, { keepCase: true }).root;

export const registry = new Registry([
  ...defaultRegistryTypes,
  ["/cosmwasm.wasm.v1.MsgExecuteContract", MsgExecuteContract],
  ["/cosmos.authz.v1beta1.MsgExec", MsgExec],
  ["/types.MsgSend", thor.lookupType("types.MsgSend")],
  ["/types.MsgDeposit", thor.lookupType("types.MsgDeposit")],
]);

/** What one case is about: a chain, a key, an account and what the chain knows of it. */
export function signer(name, chain, secret = digest(`${name} key`)) {
  const [hrp, chainId, denom, gas, ticker, decimals] = chains[chain];
  const key = core.PrivateKey.createWithData(secret);
  const publicKey = key.getPublicKeySecp256k1(true).data();
  const hash = createHash("ripemd160").update(sha256(publicKey)).digest();
  return {
    name, chain, hrp, chainId, denom, gas, ticker, decimals, secret, publicKey,
    address: toBech32(hrp, hash),
    accountNumber: number(`${name} account`, 23),
    sequence: number(`${name} sequence`, 14),
  };
}

export const receiver = (name, hrp) => toBech32(hrp, digest(`${name} receiver`).subarray(0, 20));
export const contractOf = (name, hrp) => toBech32(hrp, digest(`${name} contract`));
export const bytesOf = (address) => fromBech32(address, 90).data;

export const coin = (from, changes = {}) => ({
  chain: from.chain, ticker: from.ticker, address: from.address, contract_address: "", decimals: from.decimals,
  is_native_token: true, hex_public_key: toHex(from.publicKey), ...changes,
});

/** The chain's own part of a payload. */
export function specific(from, fee, changes = {}) {
  const known = { account_number: from.accountNumber.toString(), sequence: from.sequence.toString() };
  if (from.chain === "THORChain") return { thorchain_specific: { ...known, fee: "2000000", ...changes } };
  if (from.chain === "MayaChain") return { maya_specific: { ...known, ...changes } };
  return { cosmos_specific: { ...known, gas: fee, ...changes } };
}

/** Has Wallet Core sign messages, and CosmJS check what came of it. */
export function wallet(from, messages, { memo = "", fee, gas = from.gas, denom = from.denom }) {
  const input = Proto.SigningInput.create({
    signingMode: Proto.SigningMode.Protobuf,
    chainId: from.chainId,
    accountNumber: long(from.accountNumber),
    sequence: long(from.sequence),
    mode: Proto.BroadcastMode.SYNC,
    memo,
    messages,
    privateKey: from.secret,
    publicKey: from.publicKey,
    fee: { gas: long(gas), amounts: fee === undefined ? [] : [{ denom, amount: fee }] },
  });
  const type = vaultBased.has(from.chain) ? core.CoinType.thorchain : core.CoinType.cosmos;
  const output = Proto.SigningOutput.decode(core.AnySigner.sign(Proto.SigningInput.encode(input).finish(), type));
  assert.equal(output.errorMessage, "", from.name);
  const raw = fromBase64(JSON.parse(output.serialized).tx_bytes);
  return { raw, serialized: output.serialized, hash: verify(from, raw) };
}

/** The digest that the signature in `raw` covers, if it does. */
export function verify(from, raw) {
  const { authInfo, signatures } = decodeTxRaw(raw);
  const { bodyBytes, authInfoBytes } = TxRaw.decode(raw);
  assert.deepEqual(authInfo.signerInfos[0].publicKey, encodePubkey(cosmKey(from)), from.name);
  const hash = sha256(makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, from.chainId, Number(from.accountNumber))));
  assert(Secp256k1.verifySignature(Secp256k1Signature.fromFixedLength(signatures[0]), hash, from.publicKey), from.name);
  return hash;
}

export const cosmKey = (from) => ({ type: "tendermint/PubKeySecp256k1", value: toBase64(from.publicKey) });
export const id = (raw) => toHex(sha256(raw)).toUpperCase();

export const signed = [];
export const hashed = [];

export function golden(from, payload, { raw, hash, serialized }) {
  signed.push({
    name: from.name,
    private_key_hex: toHex(from.secret),
    curve: "secp256k1",
    keysign_payload_base64: encode(payload),
    expected: {
      imageHashes: [toHex(hash)],
      rawTransaction: serialized ?? JSON.stringify({ mode: "BROADCAST_MODE_SYNC", tx_bytes: toBase64(raw) }),
      transactionHash: id(raw),
    },
  });
}
