// Shows a signed Sui transaction to @mysten/sui. There is no node here: objects, gas and Move code are not checked,
// only that the signature is the sender's over exactly these bytes, and what the bytes mean.
import { Transaction, TransactionDataBuilder } from "@mysten/sui/transactions";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { serve } from "../../crate/nodes/scripts/lines.mjs";

await serve(async ({ bytes, signature, address }) => {
  const raw = Buffer.from(bytes, "base64");
  await verifyTransactionSignature(raw, signature, { address });
  const { sender, gasData, inputs, commands, expiration } = Transaction.from(raw).getData();
  return {
    id: TransactionDataBuilder.getDigestFromBytes(raw),
    sender,
    budget: gasData.budget,
    coins: gasData.payment.map(({ objectId }) => objectId),
    inputs: inputs.map((input) => input.Pure?.bytes ?? input.Object?.ImmOrOwnedObject?.objectId),
    commands: commands.map(({ $kind }) => $kind),
    expires: expiration?.$kind ?? null,
  };
});
