// Reads a signed Tron transaction with TronWeb: who signed it, what it does, whether its id is right. There is no node
// that runs without Tron's network, so balances, energy and the block it refers to are not checked.
import { TronWeb, utils } from "tronweb";
import { serve } from "../../crate/nodes/scripts/lines.mjs";

const tronWeb = new TronWeb({ fullHost: "http://127.0.0.1:9" });
const hex = (bytes) => Buffer.from(bytes).toString("hex");

// The contract's type stands in front of its message; TronWeb wants to be told.
function contractType(raw) {
  const name = raw.getContractList()[0].getParameter().getTypeUrl();
  return name.slice(name.lastIndexOf(".") + 1);
}

await serve(({ transaction }) => {
  const message = globalThis.TronWebProto.Transaction.deserializeBinary(Buffer.from(transaction, "hex"));
  const raw = message.getRawData();
  const raw_data_hex = hex(raw.serializeBinary());
  const raw_data = utils.deserializeTx.deserializeTransaction(contractType(raw), raw_data_hex);
  const txID = utils.transaction.txPbToTxID(message).replace(/^0x/, "");
  const signed = { raw_data, raw_data_hex, txID, signature: message.getSignatureList_asU8().map(hex) };
  const { type, parameter } = raw_data.contract[0];
  const signer = TronWeb.address.fromHex(tronWeb.trx.ecRecover(signed));
  const owner = TronWeb.address.fromHex(parameter.value.owner_address);
  return { accepted: signer === owner, signer, txID, type, value: parameter.value, raw_data };
});
