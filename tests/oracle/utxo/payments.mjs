// Payments: planned and signed by Wallet Core, every digest computed a second time by another library.
import assert from "node:assert";
import * as utxolib from "@bitgo/utxo-lib";
import { TW } from "@trustwallet/wallet-core";
import * as bitcoin from "bitcoinjs-lib";
import { account, ALL, BRANCH, chains, coinOf, core, digest, golden, hex, lockScript, long, number } from "./chains.mjs";

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

const addressOf = {
  p2sh: (net) => bitcoin.payments.p2sh({ hash: digest("script").subarray(0, 20), network: net }).address,
  p2pkh: (net) => bitcoin.payments.p2pkh({ hash: digest("key").subarray(0, 20), network: net }).address,
  p2wsh: (net) => bitcoin.payments.p2wsh({ hash: digest("witness script"), network: net }).address,
  p2tr: (net) => bitcoin.payments.p2tr({ internalPubkey: account("Bitcoin", "taproot").key.subarray(1), network: net }).address,
};

export function payments() {
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
