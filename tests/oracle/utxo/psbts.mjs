// PSBTs: made and signed by bitcoinjs-lib, on Bitcoin Cash by BitGo's library.
import * as utxolib from "@bitgo/utxo-lib";
import * as bitcoin from "bitcoinjs-lib";
import { account, ALL, chains, digest, hex, lockScript, number } from "./chains.mjs";

// An earlier transaction with the coin at index 1.
function earlier(name, script, value) {
  const tx = new bitcoin.Transaction();
  tx.version = 2;
  tx.addInput(digest(`${name} earlier`), 3);
  tx.addOutput(addressScript(name), 1234);
  tx.addOutput(script, value);
  return tx;
}

export const addressScript = (name) => bitcoin.payments.p2wpkh({ hash: digest(`${name} payee`).subarray(0, 20) }).output;

// The ways to keep a coin behind a key.
export function locks({ key }) {
  const witness = bitcoin.payments.p2wpkh({ pubkey: key });
  return {
    p2wpkh: { script: witness.output },
    "p2sh-p2wpkh": { script: bitcoin.payments.p2sh({ redeem: witness }).output, redeem: witness.output },
    p2pkh: { script: bitcoin.payments.p2pkh({ pubkey: key }).output, legacy: true },
  };
}

// A PSBT that spends one coin per form, pays most of it elsewhere and some of it back.
export function psbtOf(name, chain, own, { forms, version = 2, locktime = 0, sequence = 0xfffffffd, memo, change = true, sighash }) {
  const psbt = new bitcoin.Psbt({ network: chains[chain].net, maximumFeeRate: 1e9 });
  psbt.setVersion(version).setLocktime(locktime);
  const values = forms.map((_, at) => 1_000_000 + number(`${name} value ${at}`, 5_000_000));
  forms.forEach((form, at) => {
    const { script, redeem, legacy } = locks(own)[form];
    const from = earlier(`${name} ${at}`, script, values[at]);
    psbt.addInput({
      hash: from.getId(), index: 1, sequence,
      ...(legacy ? { nonWitnessUtxo: from.toBuffer() } : { witnessUtxo: { script, value: values[at] } }),
      ...(redeem ? { redeemScript: redeem } : {}),
      ...(sighash ? { sighashType: sighash } : {}),
    });
  });
  const total = values.reduce((sum, value) => sum + value, 0);
  const fee = 200 + number(`${name} fee`, 5000);
  const paid = change ? Math.floor(total * 0.6) : total - fee;
  const own_script = lockScript(chain, own.address).data();
  const outputs = [{ script: pay(name, chain), value: paid }];
  if (memo) outputs.push({ script: bitcoin.payments.embed({ data: [Buffer.from(memo)] }).output, value: 0 });
  if (change) outputs.push({ script: Buffer.from(own_script), value: total - paid - fee });
  outputs.forEach((output) => psbt.addOutput(output));
  return { psbt, values, fee, paid, outputs };
}

// A script that the chain has.
function pay(name, chain) {
  const hash = digest(`${name} payee`);
  if (!chains[chain].segwit) return bitcoin.payments.p2pkh({ hash: hash.subarray(0, 20) }).output;
  const forms = [
    bitcoin.payments.p2wpkh({ hash: hash.subarray(0, 20) }), bitcoin.payments.p2sh({ hash: hash.subarray(0, 20) }),
    bitcoin.payments.p2wsh({ hash }), bitcoin.payments.p2tr({ internalPubkey: account(chain, name).key.subarray(1) }),
  ];
  return forms[number(`${name} form`, forms.length)].output;
}

export function signPsbt(psbt, own, forms, values) {
  const tx = bitcoin.Transaction.fromBuffer(psbt.data.globalMap.unsignedTx.toBuffer());
  const script = locks(own).p2pkh.script;
  const hash = (form, at) => (form === "p2pkh" ? tx.hashForSignature(at, script, ALL) : tx.hashForWitnessV0(at, script, values[at], ALL));
  const hashes = forms.map((form, at) => hex(hash(form, at)));
  psbt.signAllInputs(own.pair).finalizeAllInputs();
  const signed = psbt.extractTransaction(true);
  return { hashes, raw: signed.toHex(), id: signed.getId() };
}

function rawCase(name, chain, request) {
  const own = account(chain, name);
  const { psbt, values, fee } = psbtOf(name, chain, own, request);
  const bytes = psbt.toHex();
  const { hashes, raw, id } = signPsbt(psbt, own, request.forms, values);
  return {
    name, kind: "utxo", chain, signing_mode: "ecdsa_secp256k1", unsigned_tx_hex: `0x${bytes}`,
    chain_context: { derive_path: chains[chain].path }, private_key_hex: hex(own.secret), from: own.address,
    expected: { hashes, signed_tx_hex: `0x${raw}`, transaction_hash: id, decoded: { fee: String(fee) } },
  };
}

// Bitcoin Cash signs the value as SegWit does, under another hash type: BitGo's library finishes that one.
function cashCase(name) {
  const chain = "Bitcoin-Cash";
  const own = account(chain, name);
  const script = locks(own).p2pkh.script;
  const network = utxolib.networks.bitcoincash;
  const psbt = utxolib.bitgo.createPsbtForNetwork({ network });
  const [value, fee] = [3_000_000n + BigInt(number(name, 1e6)), 777n];
  psbt.addInput({ hash: hex(digest(`${name} earlier`)), index: 1, witnessUtxo: { script, value }, sighashType: 0x41 });
  psbt.addOutput({ script: pay(name, chain), value: value - fee });
  const bytes = psbt.toHex();
  const tx = utxolib.bitgo.createTransactionFromBuffer(psbt.data.globalMap.unsignedTx.toBuffer(), network, { amountType: "bigint" });
  const digestOf = tx.hashForSignatureByNetwork(0, script, value, 0x41);
  const signature = bitcoin.script.signature.encode(own.pair.sign(digestOf), 0x01);
  signature[signature.length - 1] = 0x41;
  tx.ins[0].script = bitcoin.script.compile([signature, own.key]);
  return {
    name, kind: "utxo", chain, signing_mode: "ecdsa_secp256k1", unsigned_tx_hex: `0x${bytes}`,
    chain_context: { derive_path: chains[chain].path }, private_key_hex: hex(own.secret), from: own.address,
    expected: { hashes: [hex(digestOf)], signed_tx_hex: `0x${tx.toHex()}`, transaction_hash: tx.getId(), decoded: { fee: String(fee) } },
  };
}

export function raws() {
  const valid = [
    rawCase("Bitcoin PSBT: p2wpkh", "Bitcoin", { forms: ["p2wpkh"] }),
    rawCase("Bitcoin PSBT: p2sh-p2wpkh", "Bitcoin", { forms: ["p2sh-p2wpkh", "p2sh-p2wpkh"] }),
    rawCase("Bitcoin PSBT: p2pkh with its earlier transaction", "Bitcoin", { forms: ["p2pkh"] }),
    rawCase("Bitcoin PSBT: all three in one", "Bitcoin", { forms: ["p2pkh", "p2wpkh", "p2sh-p2wpkh", "p2wpkh"], memo: "three ways" }),
    rawCase("Bitcoin PSBT: lock time, version 1, hash type named", "Bitcoin", { forms: ["p2wpkh", "p2wpkh"], version: 1, locktime: 840_000, sequence: 0xfffffffe, sighash: ALL }),
    rawCase("Bitcoin PSBT: a memo of 80 bytes, no change", "Bitcoin", { forms: ["p2wpkh"], memo: "m".repeat(80), change: false }),
    rawCase("Bitcoin PSBT: thirty inputs", "Bitcoin", { forms: Array(30).fill("p2wpkh") }),
    rawCase("Litecoin PSBT: p2wpkh", "Litecoin", { forms: ["p2wpkh", "p2wpkh"], memo: "litecoin" }),
    rawCase("Litecoin PSBT: nested and legacy", "Litecoin", { forms: ["p2sh-p2wpkh", "p2pkh"] }),
    rawCase("Dogecoin PSBT", "Dogecoin", { forms: ["p2pkh", "p2pkh"] }),
    rawCase("Dash PSBT", "Dash", { forms: ["p2pkh"], memo: "dash" }),
    cashCase("Bitcoin-Cash PSBT: hash type FORKID"),
  ];
  const whole = valid[1].unsigned_tx_hex;
  const refuse = (name, expected_error, changes) => {
    const { expected, private_key_hex, ...rest } = valid[1];
    return { ...rest, name, expect: "refuse", expected_error, ...changes };
  };
  const other = (name, options) => {
    const own = account("Bitcoin", name);
    return { unsigned_tx_hex: psbtOf(name, "Bitcoin", own, options).psbt.toHex(), from: own.address };
  };
  const malformed = [
    refuse("PSBT cut by a byte", "malformed", { unsigned_tx_hex: whole.slice(0, -2) }),
    refuse("PSBT with a byte behind it", "malformed", { unsigned_tx_hex: `${whole}00` }),
    refuse("PSBT with another magic", "malformed", { unsigned_tx_hex: whole.replace("70736274ff", "70736275ff") }),
    refuse("PSBT of somebody else", "not_owned", { from: account("Bitcoin", "nobody").address }),
    refuse("PSBT on another chain", "not_owned", { chain: "Litecoin", chain_context: {}, from: account("Litecoin", "nobody").address }),
    refuse("PSBT with hash type NONE", "unsupported_payload", other("none", { forms: ["p2wpkh"], sighash: 2 })),
    refuse("PSBT with hash type ANYONECANPAY", "unsupported_payload", other("anyone", { forms: ["p2wpkh"], sighash: 0x81 })),
    refuse("PSBT on Zcash", "unsupported_unsigned_tx", { chain: "Zcash", chain_context: {}, from: account("Zcash", "nobody").address }),
    refuse("PSBT with the path of another chain", "malformed", { chain_context: { derive_path: chains.Dash.path } }),
  ];
  return { valid, malformed };
}
