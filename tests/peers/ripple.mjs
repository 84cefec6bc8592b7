// Shows a signed XRP ledger transaction to xrpl. There is no server here: balances, sequences and paths are not checked,
// only that the bytes are canonical, well-formed for their type and signed by the key that they name.
import { decode, deriveAddress, encode, hashes, validate, verifySignature } from "xrpl";
import { serve } from "../../crate/nodes/scripts/lines.mjs";

await serve(async ({ blob }) => {
  const json = decode(blob);
  if (encode(json) !== blob) throw new Error("the bytes are not canonical");
  validate(json);
  if (!verifySignature(blob)) throw new Error("the signature is not valid");
  if (deriveAddress(json.SigningPubKey) !== json.Account) throw new Error("the key is not the account's");
  return { id: hashes.hashSignedTx(blob), json };
});
