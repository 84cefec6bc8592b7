// Cardano: every form of payload, planned and signed by Wallet Core, and read again by Emurgo's serialization library,
// which also writes the auxiliary data. Where the two do not agree, nothing is written.
import assert from "node:assert";
import { createHash, createPrivateKey, createPublicKey, sign as ed25519, verify } from "node:crypto";
import cardano from "@emurgo/cardano-serialization-lib-nodejs";
import { initWasm, TW } from "@trustwallet/wallet-core";
import Long from "long";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
const { Proto } = TW.Cardano;
const COINS_WITH_TOKEN = 1_500_000n;
const MAINNET = 1;

const hash = (text) => createHash("sha256").update(`countersign cardano ${text}`).digest();
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const number = (text, bits) => BigInt(`0x${hex(hash(text))}`) % 2n ** BigInt(bits);
const long = (value) => Long.fromString(value.toString());
const big = (value) => Buffer.from(value.toString(16).replace(/^(?=(..)*.$)/, "0"), "hex");

// A plain Ed25519 key: node's own signatures, since Wallet Core signs Cardano only with keys of its extended kind.
function account(name) {
  const seed = hash(`key ${name}`);
  const key = createPrivateKey({ key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  const payment = cardano.Credential.from_keyhash(cardano.PublicKey.from_bytes(publicKey).hash());
  const address = cardano.EnterpriseAddress.new(MAINNET, payment).to_address().to_bech32();
  return { seed, key, publicKey, payment, address };
}

// Addresses of every kind that can be paid to.
const credential = (name) => account(`somebody ${name}`).payment;
const to = {
  enterprise: (name) => account(`somebody ${name}`).address,
  base: (name) => cardano.BaseAddress.new(MAINNET, credential(name), credential(`${name} stake`)).to_address().to_bech32(),
  script: (name) => {
    const script = cardano.Credential.from_scripthash(cardano.ScriptHash.from_bytes(hash(name).subarray(0, 28)));
    return cardano.EnterpriseAddress.new(MAINNET, script).to_address().to_bech32();
  },
  byron: (name) => {
    const key = cardano.Bip32PrivateKey.from_bip39_entropy(hash(name), Buffer.alloc(0)).to_public();
    return cardano.ByronAddress.icarus_from_key(key, 764824073).to_base58();
  },
};
const token = (name, length = 6) => ({ policy_id: hex(hash(`policy ${name}`).subarray(0, 28)), asset_name_hex: hex(hash(`asset ${name}`).subarray(0, length)) });
const id = ({ policy_id, asset_name_hex }) => `${policy_id}.${asset_name_hex}`;
const amount = (kind, value) => ({ ...kind, amount: `${value}` });

// CIP-20, written by Emurgo's library.
function auxiliary(memo) {
  const lines = cardano.MetadataList.new();
  let line = "";
  for (const letter of memo) {
    if (Buffer.byteLength(line + letter) > 64) {
      lines.add(cardano.TransactionMetadatum.new_text(line));
      line = "";
    }
    line += letter;
  }
  if (line !== "") lines.add(cardano.TransactionMetadatum.new_text(line));
  const message = cardano.MetadataMap.new();
  message.insert_str("msg", cardano.TransactionMetadatum.new_list(lines));
  const metadata = cardano.GeneralTransactionMetadata.new();
  metadata.insert(cardano.BigNum.from_str("674"), cardano.TransactionMetadatum.new_map(message));
  return Buffer.from(metadata.to_bytes());
}

const proto = ({ policy_id, asset_name_hex, amount }) => ({ policyId: policy_id, assetNameHex: asset_name_hex, amount: big(BigInt(amount)) });

// The body that Wallet Core plans and encodes.
function planned({ own, recipient, coins, sent, fee, ttl, utxos, extra }) {
  const input = Proto.SigningInput.create({
    transferMessage: {
      toAddress: recipient, changeAddress: own.address, amount: long(coins), useMaxAmount: false, forceFee: long(fee),
      ...(sent ? { tokenAmount: { token: [proto(sent)] } } : {}),
    },
    ttl: long(ttl),
    ...(extra ? { auxiliaryData: extra } : {}),
    utxos: utxos.map((utxo) => ({
      outPoint: { txHash: Buffer.from(utxo.hash, "hex"), outputIndex: long(utxo.index) },
      amount: long(utxo.amount), address: own.address, tokenAmount: (utxo.cardano_tokens ?? []).map(proto),
    })),
  });
  input.plan = Proto.TransactionPlan.decode(core.AnySigner.plan(Proto.SigningInput.encode(input).finish(), core.CoinType.cardano));
  assert.equal(input.plan.error, 0);
  assert.equal(input.plan.fee.toString(), fee.toString());
  const images = core.TransactionCompiler.preImageHashes(core.CoinType.cardano, Proto.SigningInput.encode(input).finish());
  const { data, dataHash, errorMessage } = TW.TxCompiler.Proto.PreSigningOutput.decode(images);
  assert.equal(errorMessage, "");
  return { body: Buffer.from(data), image: Buffer.from(dataHash) };
}

// The signed transaction, put together and read again by Emurgo's library.
function signed(own, body, image, extra) {
  const signature = ed25519(null, image, own.key);
  assert(verify(null, image, createPublicKey(own.key), signature));
  const parsed = cardano.FixedTransaction.new_from_body_bytes(body);
  assert.equal(parsed.transaction_hash().to_hex(), hex(image));
  const witness = Buffer.concat([Buffer.from("a1008182" + "5820", "hex"), own.publicKey, Buffer.from("5840", "hex"), signature]);
  const bytes = Buffer.concat([Buffer.from([0x84]), body, witness, Buffer.from([0xf5]), extra ?? Buffer.from([0xf6])]);
  const whole = cardano.FixedTransaction.from_bytes(bytes);
  assert.equal(whole.transaction_hash().to_hex(), hex(image));
  assert(whole.is_valid());
  const read = whole.witness_set().vkeys().get(0);
  assert.equal(hex(read.vkey().public_key().as_bytes()), hex(own.publicKey));
  assert(read.vkey().public_key().verify(image, read.signature()));
  if (extra) assert.equal(hex(cardano.hash_auxiliary_data(whole.auxiliary_data()).to_bytes()), hex(whole.body().auxiliary_data_hash().to_bytes()));
  return { imageHashes: [hex(image)], rawTransaction: hex(bytes), transactionHash: hex(image) };
}

const cases = [];

function add(name, own, payload, expected) {
  const key = { private_key_hex: hex(own.seed), curve: "ed25519" };
  cases.push({ name: `cardano ${name}`, ...key, keysign_payload_base64: encode(payload), expected });
}

const coin = (own, contract = "") => ({
  chain: "Cardano", ticker: contract === "" ? "ADA" : "TOK", address: own.address, contract_address: contract, decimals: 6,
  is_native_token: contract === "", hex_public_key: hex(own.publicKey),
});

// Unspent outputs of a case: amounts, or [amount, tokens].
const unspent = (name, list) => list.map((entry, place) => {
  const [value, tokens] = Array.isArray(entry) ? entry : [entry, []];
  const index = place % 3 === 0 ? 0 : Number(number(`${name} index ${place}`, 9));
  return { hash: hex(hash(`${name} output ${place}`)), amount: `${value}`, index, cardano_tokens: tokens };
});

function payment(name, { list, value, kind = "enterprise", memo, all = false, sent, fee = 170_000n, slot, fields = {} }) {
  const own = account(name);
  const recipient = fields.to_address ?? to[kind](name);
  const utxos = unspent(name, list);
  const ttl = slot ?? 150_000_000n + number(`${name} slot`, 24);
  const sum = utxos.reduce((sum, utxo) => sum + BigInt(utxo.amount), 0n);
  const extra = memo ? auxiliary(memo) : undefined;
  const coins = sent ? COINS_WITH_TOKEN : all ? sum - fee : value;
  const { body, image } = planned({ own, recipient, coins, sent: sent && amount(sent, value), fee, ttl, utxos, extra });
  const payload = {
    coin: coin(own, sent ? id(sent) : ""), to_address: recipient, to_amount: `${value}`,
    cardano: { byte_fee: `${fee}`, send_max_amount: all, ttl: `${ttl}` },
    utxo_info: utxos, ...(memo === undefined ? {} : { memo }), ...fields,
  };
  add(name, own, payload, signed(own, body, image, extra));
}

const ADA = 1_000_000n;
const [gold, silver, nameless, long32] = [token("gold"), token("silver", 12), token("nameless", 0), token("long", 32)];
const bronze = { policy_id: gold.policy_id, asset_name_hex: "ff" };

payment("transfer", { list: [10n * ADA], value: 2n * ADA });
payment("exact", { list: [2n * ADA + 170_000n], value: 2n * ADA });
payment("base address", { list: [10n * ADA], value: 3n * ADA, kind: "base" });
payment("script address", { list: [10n * ADA], value: 3n * ADA, kind: "script" });
payment("byron address", { list: [10n * ADA], value: 3n * ADA, kind: "byron" });
payment("larger first", { list: [ADA, 9n * ADA, 4n * ADA], value: 10n * ADA });
payment("only the largest", { list: [2n * ADA, 30n * ADA, 4n * ADA], value: 10n * ADA });
payment("just enough in one", { list: [5_670_000n, ADA], value: 3n * ADA });
payment("just not enough in one", { list: [5_669_999n, ADA], value: 3n * ADA });
payment("equal outputs", { list: Array(9).fill(2n * ADA), value: 7n * ADA });
payment("twenty outputs", { list: Array.from({ length: 20 }, (_, place) => ADA + number(`twenty ${place}`, 22)), value: 21n * ADA });
payment("large amounts", { list: [20_000_000_000n * ADA, 10_000_000_000n * ADA], value: 25_000_000_000n * ADA });
payment("large fee", { list: [10n * ADA], value: 2n * ADA, fee: 1_999_999n });
payment("small fee", { list: [10n * ADA], value: 2n * ADA, fee: 44n });
payment("slot of one byte", { list: [10n * ADA], value: 2n * ADA, slot: 200n });
payment("slot of eight bytes", { list: [10n * ADA], value: 2n * ADA, slot: 2n ** 40n });
payment("everything", { list: [10n * ADA], value: 10n * ADA, all: true });
payment("everything of several", { list: [3n * ADA, 10n * ADA, 5n * ADA], value: ADA, all: true });
payment("everything with memo", { list: [10n * ADA], value: 10n * ADA, all: true, memo: "bye" });
payment("memo", { list: [10n * ADA], value: 2n * ADA, memo: "hello world" });
payment("memo of 64 bytes", { list: [10n * ADA], value: 2n * ADA, memo: "x".repeat(64) });
payment("memo of 65 bytes", { list: [10n * ADA], value: 2n * ADA, memo: "x".repeat(65) });
payment("memo of 300 bytes", { list: [10n * ADA], value: 2n * ADA, memo: "0123456789".repeat(30) });
payment("memo in other letters", { list: [10n * ADA], value: 2n * ADA, memo: `${"a".repeat(63)}😀спасибо 感謝${"é".repeat(40)}` });
payment("empty memo", { list: [10n * ADA], value: 2n * ADA, memo: "" });
payment("token", { list: [[10n * ADA, [amount(gold, 500)]]], value: 200n, sent: gold });
payment("all of a token", { list: [[10n * ADA, [amount(gold, 500)]]], value: 500n, sent: gold, all: true });
payment("token with memo", { list: [[10n * ADA, [amount(gold, 500)]]], value: 20n, sent: gold, memo: "gold" });
payment("token without a name", { list: [[10n * ADA, [amount(nameless, 500)]]], value: 20n, sent: nameless });
payment("token with a long name", { list: [[10n * ADA, [amount(long32, 500)]]], value: 20n, sent: long32, kind: "base" });
payment("token among others", { list: [[10n * ADA, [amount(silver, 7), amount(gold, 500), amount(bronze, 2n ** 63n), amount(long32, 1)]]], value: 200n, sent: gold });
payment("token in a smaller output", { list: [20n * ADA, [2n * ADA, [amount(gold, 9)]], 3n * ADA], value: 9n, sent: gold });
payment("token in two outputs", { list: [[3n * ADA, [amount(gold, 5)]], [2n * ADA, [amount(gold, 5)]], 1_500_000n], value: 8n, sent: gold });
payment("much of a token in many outputs", {
  list: [20n * ADA, ...[1n, 2n, 3n].map((place) => [2n * ADA + place, [amount(gold, 1_000_000_000n), amount(silver, place)]])],
  value: 2_500_000_000n, sent: gold,
});
payment("most of a token", { list: [[10n * ADA, [amount(gold, 2n ** 64n - 1n)]]], value: 2n ** 64n - 2n, sent: gold });
payment("coins beside tokens", { list: [[10n * ADA, [amount(gold, 500), amount(silver, 1)]], ADA], value: 2n * ADA });
payment("coins beside tokens with memo", { list: [[10n * ADA, [amount(bronze, 3), amount(gold, 500)]]], value: 2n * ADA, memo: "m" });
const deposit = to.base("deposit");
const swap = (changes) => ({
  from_coin: { chain: "Cardano", ticker: "ADA" }, to_coin: { chain: "Bitcoin", ticker: "BTC" }, from_amount: `${5n * ADA}`,
  to_amount_decimal: "0.0001", tx_type: "CARDANO", target_address: deposit, sub_provider: "NEAR", swap_id: "1", ...changes,
});
payment("deposit of a swap", { list: [20n * ADA], value: 5n * ADA, fields: { to_address: deposit, swapkit_swap_payload: swap({}) } });
for (let place = 0; place < 10; place += 1) {
  const name = `random ${place}`;
  const list = Array.from({ length: 1 + place }, (_, item) => {
    const tokens = item % 3 === 1 ? [amount(token(`${name} ${item}`, item), number(`${name} tokens ${item}`, 60) + 1n)] : [];
    return [2n * ADA + number(`${name} coins ${item}`, 24), tokens];
  });
  payment(name, { list, value: ADA + number(`${name} value`, 18), memo: place % 2 ? name.repeat(place * 3) : undefined, kind: ["base", "enterprise", "byron"][place % 3] });
}

// Transactions that a service built: Emurgo's library builds them, in its own order and forms.
function built(name, { memo, tagged = false, mapped = false, change = true }) {
  const own = account(name);
  const inputs = cardano.TransactionInputs.new();
  for (const place of [0, 1]) inputs.add(cardano.TransactionInput.new(cardano.TransactionHash.from_bytes(hash(`${name} input ${place}`)), place * 300));
  const outputs = cardano.TransactionOutputs.new();
  const pay = (address, coins, assets) => {
    const value = cardano.Value.new(cardano.BigNum.from_str(`${coins}`));
    if (assets) value.set_multiasset(assets);
    const output = cardano.TransactionOutput.new(cardano.Address.from_bech32(address), value);
    outputs.add(output);
  };
  pay(deposit, 5n * ADA);
  if (change) {
    const assets = cardano.MultiAsset.new();
    const names = cardano.Assets.new();
    names.insert(cardano.AssetName.new(Buffer.from(gold.asset_name_hex, "hex")), cardano.BigNum.from_str("77"));
    assets.insert(cardano.ScriptHash.from_hex(gold.policy_id), names);
    pay(own.address, 3n * ADA, assets);
  }
  const written = cardano.TransactionBody.new_tx_body(inputs, outputs, cardano.BigNum.from_str("181000"));
  written.set_ttl(cardano.BigNum.from_str("170000000"));
  const extra = memo ? auxiliary(memo) : undefined;
  if (extra) {
    const data = cardano.AuxiliaryData.new();
    data.set_metadata(cardano.GeneralTransactionMetadata.from_bytes(extra));
    written.set_auxiliary_data_hash(cardano.hash_auxiliary_data(data));
  }
  let body = hex(written.to_bytes());
  const set = "d90102";
  assert(body.startsWith("a"));
  // The library tags sets or not; both forms are in use.
  if (!tagged) body = body.replace(`00${set}82`, "0082");
  if (tagged && !body.includes(set)) body = body.replace("0082", `00${set}82`);
  if (mapped) {
    const address = hex(cardano.Address.from_bech32(deposit).to_bytes());
    const before = body;
    body = body.replace(`825839${address}1a004c4b40`, `a2005839${address}011a004c4b40`);
    assert.notEqual(body, before);
  }
  body = Buffer.from(body, "hex");
  const image = Buffer.from(cardano.FixedTransaction.new_from_body_bytes(body).transaction_hash().to_bytes());
  const envelope = Buffer.concat([Buffer.from([0x84]), body, Buffer.from([0xa0, 0xf5]), extra ?? Buffer.from([0xf6])]);
  const payload = {
    coin: coin(own), to_address: deposit, to_amount: `${5n * ADA}`, cardano: { byte_fee: "180000", ttl: "170000000" },
    swapkit_swap_payload: swap({ tx_type: "CARDANO_PREBUILT", tx_payload: envelope.toString("base64") }),
  };
  add(name, own, payload, signed(own, body, image, extra));
}
built("built by a service", {});
built("built with memo", { memo: "=:BTC.BTC:bc1q" });
built("built with tagged inputs", { tagged: true });
built("built with mapped outputs", { mapped: true });
built("built without change", { change: false, tagged: true, memo: "x".repeat(70) });

write("cardano", "signed-tx-golden.json", cases);
console.log(`cardano: ${cases.length} signed`);
