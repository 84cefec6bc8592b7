// Prebuilt sign docs, and what must be refused.
import { sha256 } from "@cosmjs/crypto";
import { toBase64, toHex } from "@cosmjs/encoding";
import { makeSignBytes, makeSignDoc } from "@cosmjs/proto-signing";
import { SignMode } from "cosmjs-types/cosmos/tx/signing/v1beta1/signing";
import { AuthInfo } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { chains, id, receiver, signer, sum, vaultBased, verify } from "./common.mjs";
import { authInfo, body, complete, messages } from "./messages.mjs";

const path = (chain) => `m/44'/${vaultBased.has(chain) ? 931 : chain.startsWith("Terra") ? 330 : 118}'/0'/0/0`;
const context = (chain) => ({ chain_id: chains[chain][1], derive_path: path(chain) });
export const valid = [];
for (const [kind, chain, changes = {}] of [
  ["send", "Cosmos"], ["send", "Noble", { memo: "memo", timeoutHeight: 12_345_678n }], ["multi_send", "Kujira"], ["delegate", "Osmosis"],
  ["undelegate", "Dydx"], ["redelegate", "Akash"], ["reward", "Cosmos"], ["vote", "Terra"], ["transfer", "Osmosis"],
  ["execute", "TerraClassic"], ["exec", "Cosmos"], ["thor_send", "THORChain"], ["thor_deposit", "THORChain"], ["thor_send", "MayaChain"],
  ["send", "Akash", { granter: receiver("granter", "akash") }],
]) {
  const from = signer(`${chain} sign doc: ${kind} ${Object.keys(changes)}`.trim(), chain);
  const { granter, ...rest } = changes;
  const bodyBytes = body([messages[kind](from)], rest);
  const fee = sum(from.name, 20);
  const authInfoBytes = authInfo(from, [{ denom: from.denom, amount: fee }], { granter });
  const bytes = makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, from.chainId, Number(from.accountNumber)));
  const { signature, raw } = complete(from, bodyBytes, authInfoBytes, sha256(bytes));
  verify(from, raw);
  valid.push({
    name: from.name, kind: "cosmos", chain, signing_mode: "ecdsa_secp256k1", unsigned_tx_hex: `0x${toHex(bytes)}`,
    chain_context: context(chain), private_key_hex: toHex(from.secret), from: from.address,
    expected: {
      hash: toHex(sha256(bytes)), signature_hex: toHex(signature), tx_raw_base64: toBase64(raw), transaction_hash: id(raw),
      // THORChain and MayaChain take a fee of their own, not the stated one.
      decoded: {
        sequence: from.sequence.toString(), gas_limit: "250000", sender: from.address, ...(vaultBased.has(chain) ? {} : { fee }),
      },
    },
  });
}

// What must be refused. The account is the one of the private key 1.
export const malformed = [];
const one = Buffer.alloc(32);
one[31] = 1;
function refuse(name, expected_error, change = {}) {
  const chain = change.chain ?? "Cosmos";
  const from = signer(`refused ${name}`, chain, one);
  const list = change.messages?.(from) ?? [messages.send(from)];
  const bodyBytes = Buffer.concat([body(list), change.afterBody ?? Buffer.alloc(0)]);
  const fee = [{ denom: from.denom, amount: "1" }];
  const auth = change.authInfo?.(from, fee) ?? authInfo(from, fee);
  const doc = makeSignDoc(bodyBytes, Buffer.concat([auth, change.afterAuth ?? Buffer.alloc(0)]), change.chainId ?? from.chainId, 7);
  const bytes = Buffer.from(makeSignBytes(doc));
  malformed.push({
    name, kind: "cosmos", chain, signing_mode: change.mode ?? "ecdsa_secp256k1",
    unsigned_tx_hex: `0x${(change.bytes?.(bytes) ?? bytes).toString("hex")}`,
    chain_context: change.context ?? context(chain), from: from.address, expect: "refuse", expected_error,
  });
}
const other = signer("somebody else", "Cosmos");
const multisig = (from, fee) => {
  const decoded = AuthInfo.decode(authInfo(from, fee));
  return AuthInfo.encode({ ...decoded, signerInfos: [decoded.signerInfos[0], decoded.signerInfos[0]] }).finish();
};
refuse("another chain's id", "chain_mismatch", { chainId: "osmosis-1" });
refuse("another chain's id in the context", "chain_mismatch", { context: { chain_id: "cosmoshub-3" } });
refuse("the other signature scheme", "signing_mode_mismatch", { mode: "eddsa_ed25519" });
refuse("another path", "malformed", { context: { chain_id: "cosmoshub-4", derive_path: "m/44'/60'/0'/0/0" } });
refuse("another sender", "not_owned", { messages: () => [messages.send(other)] });
refuse("another sender in the second message", "not_owned", { messages: (from) => [messages.send(from), messages.reward(other)] });
refuse("another key", "not_owned", { authInfo: (from, fee) => authInfo(other, fee) });
refuse("another account of THORChain", "not_owned", { chain: "THORChain", messages: () => [messages.thor_deposit(signer("x", "THORChain"))] });
refuse("two signers", "malformed", { authInfo: multisig });
refuse("amino mode", "unsupported_tx_type", { authInfo: (from, fee) => authInfo(from, fee, { mode: SignMode.SIGN_MODE_LEGACY_AMINO_JSON }) });
refuse("no messages", "missing_field", { messages: () => [] });
refuse("a field of the body that nobody knows", "malformed", { afterBody: Buffer.from([0x30, 1]) });
refuse("a field of the signer's part that nobody knows", "malformed", { afterAuth: Buffer.from([0x1a, 0]) });
refuse("a byte behind the end", "malformed", { bytes: (bytes) => Buffer.concat([bytes, Buffer.from([0])]) });
refuse("a byte too few", "malformed", { bytes: (bytes) => bytes.subarray(0, -1) });
refuse("an account number in a longer form", "malformed", { bytes: (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([0x87, 0])]) });
refuse("two account numbers", "malformed", { bytes: (bytes) => Buffer.concat([bytes, Buffer.from([0x20, 7])]) });
refuse("nothing", "malformed", { bytes: () => Buffer.alloc(0) });
