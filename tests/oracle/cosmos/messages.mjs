// Messages as CosmJS writes them, and what is signed with them.
import assert from "node:assert";
import { Secp256k1, Secp256k1Signature } from "@cosmjs/crypto";
import { toUtf8 } from "@cosmjs/encoding";
import { encodePubkey, makeAuthInfoBytes } from "@cosmjs/proto-signing";
import { TxBody, TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { bytesOf, contractOf, core, cosmKey, digest, number, receiver, registry, sum } from "./common.mjs";

export const value = (typeUrl, fields) => ({ typeUrl, value: fields });
export const messages = {
  send: (from) => value("/cosmos.bank.v1beta1.MsgSend", {
    fromAddress: from.address, toAddress: receiver(from.name, from.hrp),
    amount: [{ denom: "ibc/AB", amount: "12" }, { denom: from.denom, amount: sum(from.name) }],
  }),
  multi_send: (from) => value("/cosmos.bank.v1beta1.MsgMultiSend", {
    inputs: [{ address: from.address, coins: [{ denom: from.denom, amount: "5" }] }],
    outputs: [2, 3].map((part) => ({ address: receiver(`${from.name} ${part}`, from.hrp), coins: [{ denom: from.denom, amount: `${part}` }] })),
  }),
  delegate: (from) => value("/cosmos.staking.v1beta1.MsgDelegate", {
    delegatorAddress: from.address, validatorAddress: receiver("validator", `${from.hrp}valoper`), amount: { denom: from.denom, amount: sum(from.name) },
  }),
  undelegate: (from) => value("/cosmos.staking.v1beta1.MsgUndelegate", {
    delegatorAddress: from.address, validatorAddress: receiver("validator", `${from.hrp}valoper`), amount: { denom: from.denom, amount: sum(from.name) },
  }),
  redelegate: (from) => value("/cosmos.staking.v1beta1.MsgBeginRedelegate", {
    delegatorAddress: from.address, validatorSrcAddress: receiver("validator", `${from.hrp}valoper`),
    validatorDstAddress: receiver("second", `${from.hrp}valoper`), amount: { denom: from.denom, amount: sum(from.name) },
  }),
  reward: (from) => value("/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward", {
    delegatorAddress: from.address, validatorAddress: receiver("validator", `${from.hrp}valoper`),
  }),
  vote: (from) => value("/cosmos.gov.v1beta1.MsgVote", { proposalId: number(from.name, 30), voter: from.address, option: 4 }),
  transfer: (from) => value("/ibc.applications.transfer.v1.MsgTransfer", {
    sourcePort: "transfer", sourceChannel: "channel-7", token: { denom: from.denom, amount: sum(from.name) }, sender: from.address,
    receiver: receiver(from.name, "juno"), timeoutHeight: { revisionNumber: 4n, revisionHeight: number(from.name, 24) },
    timeoutTimestamp: 0n, memo: "{\"wasm\":{}}",
  }),
  execute: (from) => value("/cosmwasm.wasm.v1.MsgExecuteContract", {
    sender: from.address, contract: contractOf(from.name, from.hrp), msg: toUtf8(JSON.stringify({ swap: { min: "9", to: { a: 1 } } })),
    funds: [{ denom: from.denom, amount: sum(from.name) }],
  }),
  exec: (from) => value("/cosmos.authz.v1beta1.MsgExec", { grantee: from.address, msgs: [registry.encodeAsAny(messages.send(from))] }),
  thor_send: (from) => value("/types.MsgSend", {
    from_address: bytesOf(from.address), to_address: digest(`${from.name} receiver`).subarray(0, 20), amount: [{ denom: from.denom, amount: sum(from.name) }],
  }),
  thor_deposit: (from) => value("/types.MsgDeposit", {
    coins: [{ asset: { chain: "LTC", symbol: "LTC", ticker: "LTC", secured: true }, amount: sum(from.name) }],
    memo: "secure-:ltc1qc56q990vzj3a89d544dvj28grrpxqq0pw64hq4", signer: bytesOf(from.address),
  }),
};

export function body(list, changes = {}) {
  return TxBody.encode(TxBody.fromPartial({ messages: list.map((message) => registry.encodeAsAny(message)), ...changes })).finish();
}

export function authInfo(from, fee, { granter, mode, gas = 250_000 } = {}) {
  return makeAuthInfoBytes([{ pubkey: encodePubkey(cosmKey(from)), sequence: from.sequence }], fee, gas, granter, undefined, mode);
}

/** The signed bytes of a sign doc, by Wallet Core's key. */
export function complete(from, bodyBytes, authInfoBytes, hash) {
  const signature = core.PrivateKey.createWithData(from.secret).sign(hash, core.Curve.secp256k1).slice(0, 64);
  assert(Secp256k1.verifySignature(Secp256k1Signature.fromFixedLength(signature), hash, from.publicKey), from.name);
  return { signature, raw: TxRaw.encode({ bodyBytes, authInfoBytes, signatures: [signature] }).finish() };
}
