// Reads a signed Cosmos transaction with CosmJS: whether the signature covers the document that CosmJS itself rebuilds
// from the bytes, whose key it is by, and what the messages say. A library and not a node: nothing else is checked.
import { makeSignDoc as makeAminoDoc, rawSecp256k1PubkeyToRawAddress, serializeSignDoc } from "@cosmjs/amino";
import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromHex, toBech32, toHex } from "@cosmjs/encoding";
import { decodePubkey, decodeTxRaw, makeSignBytes, makeSignDoc, Registry } from "@cosmjs/proto-signing";
import { AminoTypes, createDefaultAminoConverters, defaultRegistryTypes } from "@cosmjs/stargate";
import { SignMode } from "cosmjs-types/cosmos/tx/signing/v1beta1/signing";
import { AuthInfo, TxBody, TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { MsgExecuteContract } from "cosmjs-types/cosmwasm/wasm/v1/tx";
import protobuf from "protobufjs";

// THORChain's messages are in no registry.
const thor = protobuf.parse(`syntax = "proto3"; package types;
  message Coin { string denom = 1; string amount = 2; }
  message MsgSend { bytes from_address = 1; bytes to_address = 2; repeated Coin amount = 3; }
  message Asset { string chain = 1; string symbol = 2; string ticker = 3; bool synth = 4; bool trade = 5; bool secured = 6; }
  message AssetCoin { Asset asset = 1; string amount = 2; int64 decimals = 3; }
  message MsgDeposit { repeated AssetCoin coins = 1; string memo = 2; bytes signer = 3; }`, { keepCase: true }).root;
const registry = new Registry([
  ...defaultRegistryTypes,
  ["/cosmwasm.wasm.v1.MsgExecuteContract", MsgExecuteContract],
  ["/types.MsgSend", thor.lookupType("types.MsgSend")],
  ["/types.MsgDeposit", thor.lookupType("types.MsgDeposit")],
]);
const aminoTypes = new AminoTypes(createDefaultAminoConverters());

// What the signature must cover: in amino mode the JSON that CosmJS makes of the protobuf messages, as a node would.
function signedBytes({ body, authInfo, mode }, raw, { chain_id, account_number }) {
  if (mode !== SignMode.SIGN_MODE_LEGACY_AMINO_JSON) {
    return makeSignBytes(makeSignDoc(raw.bodyBytes, raw.authInfoBytes, chain_id, Number(account_number)));
  }
  const messages = body.messages.map((message) => aminoTypes.toAmino({ typeUrl: message.typeUrl, value: registry.decode(message) }));
  const fee = { amount: authInfo.fee.amount, gas: authInfo.fee.gasLimit.toString() };
  const sequence = authInfo.signerInfos[0].sequence.toString();
  return serializeSignDoc(makeAminoDoc(messages, fee, chain_id, body.memo, account_number, sequence));
}

// A node refuses fields of a wrong type; CosmJS alone would accept them. Encoding what was decoded must give the same
// bytes.
function isCanonical(bytes, raw, body, authInfo) {
  const same = (type, value, written) => toHex(type.encode(value).finish()) === toHex(written);
  const again = ({ typeUrl, value }) => registry.encode({ typeUrl, value: registry.decode({ typeUrl, value }) });
  return same(TxRaw, raw, bytes) && same(TxBody, body, raw.bodyBytes) && same(AuthInfo, authInfo, raw.authInfoBytes)
    && body.messages.every((message) => toHex(again(message)) === toHex(message.value));
}

const readable = (value) => (value instanceof Uint8Array ? toHex(value) : value);

export function read({ transaction, hrp, ...chain }) {
  const bytes = fromHex(transaction);
  const raw = TxRaw.decode(bytes);
  const { body, authInfo, signatures } = decodeTxRaw(bytes);
  const [signer] = authInfo.signerInfos;
  const mode = signer.modeInfo.single.mode;
  const key = Buffer.from(decodePubkey(signer.publicKey).value, "base64");
  const hash = sha256(signedBytes({ body, authInfo, mode }, raw, chain));
  const accepted = Secp256k1.verifySignature(Secp256k1Signature.fromFixedLength(signatures[0]), hash, key);
  const messages = body.messages.map((message) => ({ type: message.typeUrl, value: registry.decode(message) }));
  return {
    accepted: accepted && signatures.length === 1 && authInfo.signerInfos.length === 1
      && isCanonical(bytes, raw, body, authInfo),
    signer: toBech32(hrp, rawSecp256k1PubkeyToRawAddress(key)),
    id: toHex(sha256(bytes)).toUpperCase(),
    mode,
    sequence: signer.sequence,
    memo: body.memo,
    fee: authInfo.fee,
    messages: JSON.parse(JSON.stringify(messages, (_, value) => (typeof value === "bigint" ? value.toString() : readable(value)))),
  };
}
