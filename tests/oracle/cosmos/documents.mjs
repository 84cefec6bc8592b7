// Bytes and documents that a payload takes as prebuilt, and QBTC.
import { createHash } from "node:crypto";
import { makeSignDoc as makeAminoDoc, serializeSignDoc } from "@cosmjs/amino";
import { sha256 } from "@cosmjs/crypto";
import { toBase64, toBech32, toHex, toUtf8 } from "@cosmjs/encoding";
import { makeAuthInfoBytes, makeSignBytes, makeSignDoc } from "@cosmjs/proto-signing";
import { AminoTypes, createDefaultAminoConverters } from "@cosmjs/stargate";
import { SignMode } from "cosmjs-types/cosmos/tx/signing/v1beta1/signing";
import { encode } from "../payload.mjs";
import { bytesOf, coin, golden, hashed, number, receiver, signer, specific, sum, verify } from "./common.mjs";
import { authInfo, body, complete, messages, value } from "./messages.mjs";

// sign_direct.
for (const [chain, kinds] of [
  ["Cosmos", ["delegate"]], ["Osmosis", ["reward", "reward", "delegate"]], ["Akash", ["redelegate"]], ["Dydx", ["exec"]],
  ["THORChain", ["thor_deposit"]], ["MayaChain", ["thor_send"]],
]) {
  const from = signer(`${chain}_sign_direct`, chain);
  const bodyBytes = body(kinds.map((kind) => messages[kind](from)), { memo: "by somebody else", timeoutHeight: number(from.name, 24) });
  const authInfoBytes = authInfo(from, [{ denom: from.denom, amount: sum(from.name, 20) }]);
  const hash = sha256(makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, from.chainId, Number(from.accountNumber))));
  const sign_direct = {
    body_bytes: toBase64(bodyBytes), auth_info_bytes: toBase64(authInfoBytes), chain_id: from.chainId,
    account_number: from.accountNumber.toString(),
  };
  const payload = { coin: coin(from), to_address: "", to_amount: "0", ...specific(from, "0"), sign_direct };
  const { raw } = complete(from, bodyBytes, authInfoBytes, hash);
  golden(from, payload, { raw, hash: verify(from, raw) });
}

// sign_amino: CosmJS's own converters where it has them.
const thorSend = {
  aminoType: "thorchain/MsgSend",
  toAmino: ({ from_address, to_address, amount }) => ({ from_address: toBech32("thor", from_address), to_address: toBech32("thor", to_address), amount }),
  fromAmino: ({ from_address, to_address, amount }) => ({ from_address: bytesOf(from_address), to_address: bytesOf(to_address), amount }),
};
const wasmExecute = {
  aminoType: "wasm/MsgExecuteContract",
  toAmino: ({ sender, contract, msg, funds }) => ({ sender, contract, msg: JSON.parse(Buffer.from(msg)), funds }),
  fromAmino: ({ sender, contract, msg, funds }) => ({ sender, contract, msg: toUtf8(JSON.stringify(msg)), funds }),
};
const aminoTypes = new AminoTypes({
  ...createDefaultAminoConverters(), "/types.MsgSend": thorSend, "/cosmwasm.wasm.v1.MsgExecuteContract": wasmExecute,
});
for (const [name, chain, kinds, memo] of [
  ["amino_send", "Cosmos", ["send"], "a & b < c > d \" é"],
  ["amino_delegate", "Osmosis", ["delegate", "reward"], ""],
  ["amino_undelegate", "Akash", ["undelegate"], undefined],
  ["amino_redelegate", "Kujira", ["redelegate"], "x"],
  ["amino_vote", "Dydx", ["vote"], "x"],
  ["amino_transfer", "Noble", ["transfer"], "x"],
  ["amino_execute", "Terra", ["execute"], "x"],
  ["amino_thor_send", "THORChain", ["thor_send"], "x"],
]) {
  const from = signer(name, chain);
  const list = kinds.map((kind) => messages[kind](from));
  const msgs = list.map((message) => aminoTypes.toAmino(message));
  const stated = { amount: [{ denom: from.denom, amount: sum(name, 20) }], gas: "250000" };
  const doc = makeAminoDoc(msgs, stated, from.chainId, memo, from.accountNumber.toString(), from.sequence.toString());
  const hash = sha256(serializeSignDoc(doc));
  const bodyBytes = body(msgs.map((message) => aminoTypes.fromAmino(message)), { memo: memo ?? "" });
  const authInfoBytes = authInfo(from, stated.amount, { mode: SignMode.SIGN_MODE_LEGACY_AMINO_JSON });
  const payload = {
    coin: coin(from), to_address: "", to_amount: "0", ...specific(from, "0"), ...(memo === undefined ? {} : { memo }),
    sign_amino: { fee: stated, msgs: msgs.map((message) => ({ type: message.type, value: JSON.stringify(message.value) })) },
  };
  golden(from, payload, { ...complete(from, bodyBytes, authInfoBytes, hash), hash });
}

// QBTC: no key of it is here, so only what would be signed, as CosmJS writes it.
for (const memo of ["", "with a memo"]) {
  const name = `qbtc_send${memo && "_memo"}`;
  const key = createHash("shake256", { outputLength: 1312 }).update(name).digest();
  const address = toBech32("qbtc", createHash("ripemd160").update(sha256(key)).digest());
  const [account, sequence, fee, amount, to] = [number(name, 20), number(`${name} sequence`, 9), sum(`${name} fee`, 20), sum(name), receiver(name, "qbtc")];
  const pubkey = { typeUrl: "/cosmos.crypto.mldsa.PubKey", value: Buffer.concat([Buffer.from([0x0a, 0xa0, 0x0a]), key]) };
  const bodyBytes = body([value("/cosmos.bank.v1beta1.MsgSend", { fromAddress: address, toAddress: to, amount: [{ denom: "qbtc", amount }] })], { memo });
  const authInfoBytes = makeAuthInfoBytes([{ pubkey, sequence }], [{ denom: "qbtc", amount: fee }], 300_000, undefined, undefined);
  hashed.push({
    name, source: "CosmJS", chain: "QBTC",
    keysign_payload_base64: encode({
      coin: { chain: "QBTC", ticker: "QBTC", address, decimals: 8, is_native_token: true, hex_public_key: toHex(key) },
      to_address: to, to_amount: amount, memo,
      cosmos_specific: { account_number: account.toString(), sequence: sequence.toString(), gas: fee },
    }),
    expected_image_hashes: [toHex(sha256(makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, "qbtc", Number(account)))))],
  });
}
