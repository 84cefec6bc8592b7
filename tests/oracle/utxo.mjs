// Bitcoin and its likes. Payments are planned and signed by Wallet Core; PSBTs and what is made of them are signed by
// bitcoinjs-lib. Every digest is computed a second time by bitcoinjs-lib (Bitcoin, Litecoin, Dogecoin, Dash) or by
// BitGo's utxo-lib (Bitcoin Cash, Zcash); where two do not agree, nothing is written.
import assert from "node:assert";
import { createHash } from "node:crypto";
import * as utxolib from "@bitgo/utxo-lib";
import { initWasm, TW } from "@trustwallet/wallet-core";
import * as bitcoin from "bitcoinjs-lib";
import { ECPairFactory } from "ecpair";
import Long from "long";
import * as curve from "tiny-secp256k1";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
bitcoin.initEccLib(curve);
const ECPair = ECPairFactory(curve);
const ALL = bitcoin.Transaction.SIGHASH_ALL;
// What the runner gives as the branch of Zcash; the real ones are the reverse of what nodes show.
const BRANCH = Buffer.from("c2d6d0b4", "hex");

const net = (bech32, pubKeyHash, scriptHash) => ({ ...bitcoin.networks.bitcoin, bech32, pubKeyHash, scriptHash });
const chains = {
  Bitcoin: { type: core.CoinType.bitcoin, dust: 546, segwit: true, path: "m/84'/0'/0'/0/0", net: net("bc", 0, 5) },
  Litecoin: { type: core.CoinType.litecoin, dust: 2940, segwit: true, path: "m/84'/2'/0'/0/0", net: net("ltc", 48, 50) },
  Dogecoin: { type: core.CoinType.dogecoin, dust: 1_000_000, path: "m/44'/3'/0'/0/0", net: net("-", 30, 22) },
  Dash: { type: core.CoinType.dash, dust: 1000, path: "m/44'/5'/0'/0/0", net: net("-", 76, 16) },
  "Bitcoin-Cash": { type: core.CoinType.bitcoinCash, dust: 1000, path: "m/44'/145'/0'/0/0", fork: true },
  Zcash: { type: core.CoinType.zcash, dust: 1000, zcash: true },
};

const digest = (text) => createHash("sha256").update(`countersign utxo ${text}`).digest();
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const number = (text, below) => Number(BigInt(`0x${hex(digest(text))}`) % BigInt(below));
const long = (value) => Long.fromString(value.toString());

// A key of this case and its address without the prefix of Bitcoin Cash.
function account(chain, text) {
  const secret = digest(`${text} key`);
  const pair = ECPair.fromPrivateKey(secret);
  const address = core.CoinTypeExt.deriveAddress(chains[chain].type, core.PrivateKey.createWithData(secret));
  return { secret, pair, key: pair.publicKey, address: address.replace("bitcoincash:", "") };
}

const lockScript = (chain, address) =>
  core.BitcoinScript.lockScriptForAddress(chain === "Bitcoin-Cash" ? `bitcoincash:${address}` : address, chains[chain].type);

// ---- Payments -------------------------------------------------------------------------------------------------

// What Wallet Core plans and signs. On Zcash a memo may need more actions than its planner counts: then by bytes.
function walletCore({ chain, own, to, amount, max, byteFee, memo, coins }) {
  const { type, dust, segwit, zcash } = chains[chain];
  const lock = lockScript(chain, own.address);
  const hash = segwit ? lock.matchPayToWitnessPublicKeyHash() : lock.matchPayToPubkeyHash();
  const { BitcoinScript } = core;
  const script = segwit ? BitcoinScript.buildPayToWitnessPubkeyHash(hash) : BitcoinScript.buildPayToPublicKeyHash(hash);
  const prefix = (address) => (chain === "Bitcoin-Cash" && !/^[13]/.test(address) ? `bitcoincash:${address}` : address);
  const input = TW.Bitcoin.Proto.SigningInput.create({
    hashType: BitcoinScript.hashTypeForCoin(type),
    amount: long(amount),
    useMaxAmount: max,
    toAddress: prefix(to),
    changeAddress: prefix(own.address),
    byteFee: long(byteFee),
    zip_0317: Boolean(zcash),
    coinType: type.value,
    fixedDustThreshold: long(dust),
    scripts: { [hex(hash)]: script.data() },
    privateKey: [own.secret],
    utxo: coins.map((coin) => ({
      amount: long(coin.amount),
      outPoint: { hash: Buffer.from(coin.hash, "hex").reverse(), index: coin.index, sequence: 0xffffffff },
      script: lock.data(),
    })),
    ...(memo ? { outputOpReturn: Buffer.from(memo) } : {}),
  });
  const plan = () => {
    const bytes = core.AnySigner.plan(TW.Bitcoin.Proto.SigningInput.encode(input).finish(), type);
    return TW.Bitcoin.Proto.TransactionPlan.decode(bytes);
  };
  input.plan = plan();
  const memoSize = memo ? 8 + 1 + (Buffer.byteLength(memo) > 75 ? 3 : 2) + Buffer.byteLength(memo) : 0;
  const due = ({ utxos, change }) =>
    5000 * Math.max(2, Math.ceil((148 * utxos.length) / 150), Math.ceil((34 + (Number(change) ? 34 : 0) + memoSize) / 34));
  for (let rate = 1; zcash && !input.plan.error && Number(input.plan.fee) < due(input.plan); ) {
    input.zip_0317 = false;
    input.byteFee = long(rate);
    input.plan = plan();
    rate = Math.max(Math.ceil(due(input.plan) / Math.max(1, Math.floor(Number(input.plan.fee) / rate))), rate + 1);
  }
  if (input.plan.error) return { error: input.plan.error };
  if (zcash) input.plan.branchId = BRANCH;
  const bytes = TW.Bitcoin.Proto.SigningInput.encode(input).finish();
  const images = TW.Bitcoin.Proto.PreSigningOutput.decode(core.TransactionCompiler.preImageHashes(type, bytes));
  const signed = TW.Bitcoin.Proto.SigningOutput.decode(core.AnySigner.sign(bytes, type));
  assert.equal(signed.error, 0, signed.errorMessage);
  return {
    hashes: images.hashPublicKeys.map(({ dataHash }) => hex(dataHash)),
    raw: hex(signed.encoded),
    id: signed.transactionId,
    spent: input.plan.utxos.map((utxo) => Number(utxo.amount)),
  };
}

// The digests of a signed transaction by the other library.
function otherHashes(chain, raw, own, spent) {
  const script = bitcoin.payments.p2pkh({ pubkey: own.key }).output;
  const { zcash, fork, segwit } = chains[chain];
  if (zcash || fork) {
    const network = zcash ? utxolib.networks.zcash : utxolib.networks.bitcoincash;
    const tx = utxolib.bitgo.createTransactionFromBuffer(Buffer.from(raw, "hex"), network, { amountType: "bigint" });
    if (zcash) tx.consensusBranchId = BRANCH.readUInt32LE();
    const type = fork ? ALL | utxolib.bitgo.UtxoTransaction.SIGHASH_FORKID : ALL;
    return tx.ins.map((_, at) => hex(tx.hashForSignatureByNetwork(at, script, BigInt(spent[at]), type)));
  }
  const tx = bitcoin.Transaction.fromHex(raw);
  return tx.ins.map((_, at) => hex(segwit ? tx.hashForWitnessV0(at, script, spent[at], ALL) : tx.hashForSignature(at, script, ALL)));
}

function coinsOf(name, amounts) {
  return amounts.map((amount, at) => ({ hash: hex(digest(`${name} coin ${at}`)), amount, index: number(`${name} index ${at}`, 7) }));
}

function payment(name, chain, request) {
  const own = account(chain, name);
  const coins = coinsOf(name, request.amounts);
  const order = { max: false, byteFee: 10, memo: "", to: account(chain, `${name} other`).address, ...request, chain, own, coins };
  const made = walletCore(order);
  if (made.error) return null;
  assert.deepEqual(otherHashes(chain, made.raw, own, made.spent), made.hashes, name);
  const swap = {
    from_address: own.address, vault_address: order.to, from_amount: String(order.amount), to_amount_limit: "0",
    from_coin: { chain, ticker: chain }, to_coin: { chain: "THORChain", ticker: "RUNE" }, expiration_time: "1900000000",
  };
  return golden(name, own, {
    coin: coinOf(chain, own),
    to_address: order.swap ? own.address : order.to,
    to_amount: order.swap ? "1" : String(order.amount),
    utxo_specific: { byte_fee: String(order.byteFee), send_max_amount: order.max },
    utxo_info: coins.map((coin) => ({ ...coin, amount: String(coin.amount) })),
    ...(order.memo ? { memo: order.memo } : {}),
    ...(order.swap ? { [order.swap]: swap } : {}),
  }, made);
}

function coinOf(chain, own) {
  return { chain, ticker: chain, address: own.address, decimals: 8, is_native_token: true, hex_public_key: hex(own.key) };
}

function golden(name, own, payload, { hashes, raw, id }) {
  return {
    name,
    private_key_hex: hex(own.secret),
    curve: "secp256k1",
    keysign_payload_base64: encode(payload),
    expected: { imageHashes: hashes, rawTransaction: raw, transactionHash: id },
  };
}

const addressOf = {
  p2sh: (net) => bitcoin.payments.p2sh({ hash: digest("script").subarray(0, 20), network: net }).address,
  p2pkh: (net) => bitcoin.payments.p2pkh({ hash: digest("key").subarray(0, 20), network: net }).address,
  p2wsh: (net) => bitcoin.payments.p2wsh({ hash: digest("witness script"), network: net }).address,
  p2tr: (net) => bitcoin.payments.p2tr({ internalPubkey: account("Bitcoin", "taproot").key.subarray(1), network: net }).address,
};

function payments() {
  const found = [];
  const add = (name, chain, request) => {
    const made = payment(`${chain}: ${name}`, chain, request);
    assert(made, `${chain}: ${name} cannot be planned`);
    found.push(made);
  };
  for (const chain of Object.keys(chains)) {
    const unit = chains[chain].dust * 100;
    add("send with change", chain, { amounts: [unit * 9], amount: unit * 4 });
    add("send everything", chain, { amounts: [unit * 5, unit * 7], amount: unit, max: true, byteFee: 3 });
    add("an amount of all there is", chain, { amounts: [unit * 5, unit * 7], amount: unit * 12, byteFee: 2 });
    add("a memo, several coins, some of them dust", chain, {
      amounts: [unit * 2, 5, unit * 30, unit * 3, chains[chain].dust - 1, unit * 4], amount: unit * 6, memo: "golden ✓",
    });
    const memo = `=:r:thor1${"q".repeat(38)}:${number(chain, 1e9)}/1/0:va:50`;
    add("a swap over THORChain", chain, { amounts: [unit * 20, unit * 50], amount: unit * 10, memo, swap: "thorchain_swap_payload" });
  }
  for (const [form, address] of Object.entries(addressOf)) {
    for (const chain of ["Bitcoin", "Litecoin", ...(form.startsWith("p2w") || form === "p2tr" ? [] : ["Dogecoin", "Dash"])]) {
      if (chain === "Litecoin" && form === "p2tr") continue; // Wallet Core does not read it.
      const unit = chains[chain].dust * 100;
      add(`to ${form}`, chain, { amounts: [unit * 9, unit * 4], amount: unit * 5, to: address(chains[chain].net), memo: "m".repeat(80) });
    }
  }
  add("a swap over MayaChain", "Dash", { amounts: [9_000_000], amount: 5_000_000, memo: "=:c:maya1x:5e9", swap: "mayachain_swap_payload" });
  add("change that is dust", "Bitcoin", { amounts: [100_000], amount: 98_400 });
  add("to an address of the old form", "Bitcoin-Cash", { amounts: [90_000], amount: 40_000, to: addressOf.p2pkh(chains.Bitcoin.net) });
  return found.concat(random(Number(process.env.ORACLE_RANDOM ?? 18)));
}

// Many coins of many sizes: which of them are chosen is the planner's whole art.
function random(count) {
  const found = [];
  for (let at = 0; found.length < count && at < count * 9; at++) {
    const chain = Object.keys(chains)[at % 6];
    const name = `${chain}: random ${at}`;
    const pick = (what, below) => number(`${name} ${what}`, below);
    const size = 10 ** (4 + pick("size", 5)) * (chain === "Dogecoin" ? 1000 : 1);
    const amounts = Array.from({ length: 1 + pick("count", 24) }, (_, coin) => pick(`amount ${coin}`, size));
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const amount = 1 + pick("target", Math.max(1, Math.floor(total * 1.02)));
    const byteFee = 1 + pick("rate", 10 ** (1 + pick("rates", 3)));
    const memo = pick("memo?", 3) ? "" : "x".repeat(1 + pick("memo", 80));
    const made = payment(name, chain, { amounts, amount, byteFee, memo, max: pick("max", 8) === 0 });
    if (made) found.push(made);
  }
  return found;
}

// ---- PSBTs ----------------------------------------------------------------------------------------------------

// An earlier transaction with the coin at index 1.
function earlier(name, script, value) {
  const tx = new bitcoin.Transaction();
  tx.version = 2;
  tx.addInput(digest(`${name} earlier`), 3);
  tx.addOutput(addressScript(name), 1234);
  tx.addOutput(script, value);
  return tx;
}

const addressScript = (name) => bitcoin.payments.p2wpkh({ hash: digest(`${name} payee`).subarray(0, 20) }).output;

// The ways to keep a coin behind a key.
function locks({ key }) {
  const witness = bitcoin.payments.p2wpkh({ pubkey: key });
  return {
    p2wpkh: { script: witness.output },
    "p2sh-p2wpkh": { script: bitcoin.payments.p2sh({ redeem: witness }).output, redeem: witness.output },
    p2pkh: { script: bitcoin.payments.p2pkh({ pubkey: key }).output, legacy: true },
  };
}

// A PSBT that spends one coin per form, pays most of it elsewhere and some of it back.
function psbtOf(name, chain, own, { forms, version = 2, locktime = 0, sequence = 0xfffffffd, memo, change = true, sighash }) {
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

function signPsbt(psbt, own, forms, values) {
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

function raws() {
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

// ---- Transactions by others, inside payloads --------------------------------------------------------------------

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

function builtByOthers() {
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
function shared() {
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

write("utxo", "signed-tx-golden.json", [...payments(), ...builtByOthers()]);
write("utxo", "unsigned-tx.json", raws());
write("utxo", "keysign-payload-base64.json", [shared()]);
