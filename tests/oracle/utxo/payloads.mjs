// Prebuilt transactions inside payloads: `sign_bitcoin`, and PSBTs of SwapKit.
import * as utxolib from "@bitgo/utxo-lib";
import * as bitcoin from "bitcoinjs-lib";
import { encode } from "../payload.mjs";
import { account, ALL, BRANCH, chains, coinOf, digest, golden, hex, lockScript } from "./chains.mjs";
import { addressScript, locks, psbtOf, signPsbt } from "./psbts.mjs";

// A PSBT taken apart, as `sign_bitcoin` has it.
function takenApart(psbt, own, forms, values, outputs) {
  const { script } = bitcoin;
  const net = chains.Bitcoin.net;
  const text = (output) => {
    const chunks = script.decompile(output);
    return chunks[0] === bitcoin.opcodes.OP_RETURN ? hex(chunks[1]) : undefined;
  };
  return {
    version: psbt.version,
    locktime: psbt.locktime,
    inputs: psbt.txInputs.map((input, at) => ({
      hash: hex(Buffer.from(input.hash).reverse()), index: input.index, amount: String(values[at]), sequence: input.sequence,
      script_pub_key: hex(forms[at] ? locks(own)[forms[at]].script : addressScript("foreign")), script_type: forms[at] ?? "p2wpkh",
      is_ours: Boolean(forms[at]), ...(forms[at] === "p2sh-p2wpkh" ? { redeem_script: hex(locks(own)[forms[at]].redeem) } : {}),
    })),
    outputs: outputs.map((output) => ({
      amount: String(output.value), script_pub_key: hex(output.script),
      ...(text(output.script) === undefined
        ? { address: bitcoin.address.fromOutputScript(output.script, net) } : { op_return_data: text(output.script) }),
      is_change: hex(output.script) === hex(locks(own).p2wpkh.script),
    })),
  };
}

function built(name, request, payloadOf) {
  const chain = request.chain ?? "Bitcoin";
  const own = account(chain, name);
  const made = psbtOf(name, chain, own, request);
  const payload = { coin: coinOf(chain, own), ...payloadOf(own, made) };
  return golden(name, own, payload, signPsbt(made.psbt, own, request.forms, made.values));
}

export function builtByOthers() {
  const apart = (request) => (own, { psbt, values, outputs }) => ({
    sign_bitcoin: takenApart(psbt, own, request.forms, values, outputs),
  });
  const requests = {
    "sign_bitcoin: p2wpkh": { forms: ["p2wpkh"] },
    "sign_bitcoin: nested, with a memo": { forms: ["p2sh-p2wpkh", "p2wpkh"], memo: "apart", version: 1, locktime: 500_000 },
  };
  const found = Object.entries(requests).map(([name, request]) => built(name, request, apart(request)));
  for (const [chain, form] of [["Bitcoin", "p2wpkh"], ["Bitcoin", "p2sh-p2wpkh"], ["Dogecoin", "p2pkh"]]) {
    found.push(built(`SwapKit PSBT: ${chain} ${form}`, { chain, forms: [form, form] }, (own, { psbt, outputs }) => ({
      swapkit_swap_payload: {
        from_coin: { chain, address: own.address }, to_coin: { chain: "Ethereum", ticker: "ETH", address: `0x${"ab".repeat(20)}` },
        from_amount: String(outputs[0].value), tx_type: "PSBT", tx_payload: psbt.toBuffer().toString("base64"),
        target_address: bitcoin.address.fromOutputScript(outputs[0].script, chains[chain].net), sub_provider: "CHAINFLIP",
      },
    })));
  }
  found.push(swapKitZcash("SwapKit PSBT: Zcash"));
  return found;
}

// Inside the envelope of a PSBT, a transaction of Zcash; BitGo's library makes the transaction and its digest.
function swapKitZcash(name) {
  const own = account("Zcash", name);
  const script = locks(own).p2pkh.script;
  const [value, paid] = [40_000_000n, 39_980_000n];
  const tx = new utxolib.bitgo.ZcashTransaction(utxolib.networks.zcash, undefined, "bigint");
  Object.assign(tx, { version: 4, overwintered: 1, versionGroupId: 0x892f2085, consensusBranchId: BRANCH.readUInt32LE() });
  tx.addInput(digest(`${name} earlier`), 2);
  tx.addOutput(Buffer.from(lockScript("Zcash", account("Zcash", "swapper").address).data()), paid);
  const pair = (key, value) => Buffer.concat([Buffer.from([1, key, value.length]), value]);
  const spent = Buffer.alloc(9 + script.length);
  spent.writeBigUInt64LE(value);
  spent[8] = script.length;
  script.copy(spent, 9);
  const end = Buffer.from([0]);
  const psbt = Buffer.concat([Buffer.from("70736274ff", "hex"), pair(0, tx.toBuffer()), end, pair(1, spent), end, end]);
  const image = tx.hashForSignatureByNetwork(0, script, value, ALL);
  tx.ins[0].script = bitcoin.script.compile([bitcoin.script.signature.encode(own.pair.sign(image), ALL), own.key]);
  const payload = {
    coin: coinOf("Zcash", own),
    swapkit_swap_payload: {
      from_amount: String(paid), tx_type: "PSBT", tx_payload: psbt.toString("base64"), sub_provider: "NEAR",
      target_address: account("Zcash", "swapper").address,
    },
  };
  return golden(name, own, payload, { hashes: [hex(image)], raw: tx.toBuffer().toString("hex"), id: tx.getId() });
}

// Inputs of others among them: only the own ones are signed, so there are digests and no transaction.
export function shared() {
  const name = "sign_bitcoin: an input of somebody else";
  const own = account("Bitcoin", name);
  const forms = ["p2wpkh", "p2sh-p2wpkh"];
  const { psbt, values, outputs } = psbtOf(name, "Bitcoin", own, { forms });
  psbt.addInput({ hash: digest(`${name} foreign`), index: 0, witnessUtxo: { script: addressScript("foreign"), value: 5555 } });
  const tx = bitcoin.Transaction.fromBuffer(psbt.data.globalMap.unsignedTx.toBuffer());
  const hashes = forms.map((_, at) => hex(tx.hashForWitnessV0(at, locks(own).p2pkh.script, values[at], ALL)));
  return {
    name, chain: "Bitcoin", compare_as_set: true, expected_image_hashes: hashes,
    keysign_payload_base64: encode({
      coin: coinOf("Bitcoin", own),
      sign_bitcoin: takenApart(psbt, own, [...forms, undefined], [...values, 5555], outputs),
    }),
  };
}
