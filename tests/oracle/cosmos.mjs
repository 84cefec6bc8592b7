// Cosmos chains, THORChain and MayaChain. Payloads are built and signed by Wallet Core and read again by CosmJS,
// which also makes what Wallet Core does not: amino documents as transactions, and sign docs of messages of any kind.
// Where the two do not agree on what was signed and by whom, nothing is written.
import { hashed, signed } from "./cosmos/common.mjs";
import "./cosmos/payloads.mjs";
import "./cosmos/documents.mjs";
import { malformed, valid } from "./cosmos/raw.mjs";
import { write } from "./payload.mjs";

write("cosmos", "signed-tx-golden.json", signed);
write("cosmos", "keysign-payload-base64.json", hashed);
write("cosmos", "unsigned-tx.json", { valid, malformed });
console.log(`${signed.length} signed payloads, ${hashed.length} hashed, ${valid.length} sign docs, ${malformed.length} refused`);
