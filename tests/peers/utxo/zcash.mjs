// BitGo's utxo-lib reads a transaction of Zcash, computes ZIP-243's digest by itself and checks the signatures. A
// library and no node: it does not check balances, expiry, fees or double spends.
import * as utxolib from "@bitgo/utxo-lib";
import { serve } from "../../../crate/nodes/scripts/lines.mjs";

await serve(async ({ transaction, branch, spent }) => {
  const bytes = Buffer.from(transaction, "hex");
  const tx = utxolib.bitgo.createTransactionFromBuffer(bytes, utxolib.networks.zcash, { amountType: "bigint" });
  tx.consensusBranchId = Buffer.from(branch, "hex").readUInt32LE();
  if (tx.toBuffer().toString("hex") !== transaction) return { accepted: false, reason: "written differently" };
  const accepted = tx.ins.every((input, at) => {
    const [signature, key] = utxolib.script.decompile(input.script);
    const { output } = utxolib.payments.p2pkh({ pubkey: key });
    if (output.toString("hex") !== spent[at].script) return false;
    const { signature: compact, hashType } = utxolib.ScriptSignature.decode(signature);
    const digest = tx.hashForSignatureByNetwork(at, output, BigInt(spent[at].value), hashType);
    return utxolib.ECPair.fromPublicKey(key).verify(digest, compact);
  });
  const outputs = tx.outs.map(({ value, script }) => ({ value: Number(value), script: script.toString("hex") }));
  return { accepted, id: tx.getId(), version: tx.version, group: tx.versionGroupId, outputs };
});
