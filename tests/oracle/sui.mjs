// Sui: payments as wallet-core builds them, whole transactions as @mysten/sui builds them. Both must agree on what is
// signed; ids and signatures are those of @mysten/sui. Random values are seeded, so that running again changes nothing.
import { bcs } from "@mysten/sui/bcs";
import { messageWithIntent } from "@mysten/sui/cryptography";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction, TransactionDataBuilder } from "@mysten/sui/transactions";
import { initWasm, TW } from "@trustwallet/wallet-core";
import { createHash } from "node:crypto";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
const NATIVE = "0x2::sui::SUI";
const USDC = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC";
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const base64 = (bytes) => Buffer.from(bytes).toString("base64");

let counter = 0;
const random = () => createHash("sha256").update(`sui ${counter++}`).digest();
const number = (below) => Number(random().readBigUInt64BE() % BigInt(below));
const address = () => "0x" + hex(random());
const digest = () => bcs.ObjectDigest.parse(Uint8Array.from([32, ...random()]));
const reference = () => ({ objectId: address(), version: String(1 + number(1e9)), digest: digest() });

function signer() {
  const secret = random();
  const pair = Ed25519Keypair.fromSecretKey(secret);
  return { secret, pair, address: pair.toSuiAddress(), key: hex(pair.getPublicKey().toRawBytes()) };
}

const imageOf = (bytes) => hex(core.Hash.blake2b(messageWithIntent("TransactionData", bytes), 32));

// ---- payloads --------------------------------------------------------------------------------------------------

const coin = (type, balance, object = reference()) => ({
  coin_type: type, coin_object_id: object.objectId, version: object.version, digest: object.digest,
  balance: String(balance), previous_transaction: digest(),
});
const largestFirst = (a, b) => {
  const [x, y] = [BigInt(a.balance), BigInt(b.balance)];
  return x === y ? (a.coin_object_id < b.coin_object_id ? -1 : 1) : x > y ? -1 : 1;
};
const isNative = (type) => /^0x0*2::sui::SUI$/.test(type);

function covering(coins, target) {
  const chosen = [];
  let held = 0n;
  for (const each of [...coins].sort(largestFirst)) {
    if (chosen.length && held >= target) break;
    chosen.push(each);
    held += BigInt(each.balance);
  }
  return chosen;
}

const ref = (each) => TW.Sui.Proto.ObjectRef.create({
  objectId: each.coin_object_id, objectDigest: each.digest, version: each.version,
});

// What wallet-core signs, for the payload's own choice of coins.
function walletCore(from, { to, amount, budget = "3000000", price = "750", coins, token }) {
  const operation = { recipients: [to], amounts: [amount] };
  const common = {
    signer: from.address, gasBudget: budget, referenceGasPrice: price,
  };
  const own = coins.filter(({ coin_type }) => isNative(coin_type));
  if (!token) {
    const inputCoins = covering(own, BigInt(amount) + BigInt(budget)).map(ref);
    return { ...common, paySui: TW.Sui.Proto.PaySui.create({ ...operation, inputCoins }) };
  }
  const inputCoins = covering(coins.filter(({ coin_type }) => coin_type === token), BigInt(amount)).map(ref);
  const enough = own.filter(({ balance }) => BigInt(balance) >= BigInt(budget));
  const gas = enough.reduce((best, each) => (BigInt(each.balance) < BigInt(best.balance) ? each : best));
  return { ...common, pay: TW.Sui.Proto.Pay.create({ ...operation, inputCoins, gas: ref(gas) }) };
}

function signedByWalletCore(input, from) {
  const message = TW.Sui.Proto.SigningInput.create({ ...input, privateKey: from.secret });
  const { CoinType, TransactionCompiler, AnySigner } = core;
  const images = TransactionCompiler.preImageHashes(CoinType.sui, TW.Sui.Proto.SigningInput.encode(message).finish());
  const { dataHash, errorMessage } = TW.TxCompiler.Proto.PreSigningOutput.decode(images);
  if (errorMessage) throw new Error(errorMessage);
  const output = TW.Sui.Proto.SigningOutput.decode(
    AnySigner.sign(TW.Sui.Proto.SigningInput.encode(message).finish(), CoinType.sui));
  return { image: hex(dataHash), bytes: Buffer.from(output.unsignedTx, "base64"), signature: output.signature };
}

// wallet-core and @mysten/sui must say the same of the bytes.
async function both(input, from) {
  const made = signedByWalletCore(input, from);
  if (imageOf(made.bytes) !== made.image) throw new Error("the two libraries sign different bytes");
  const { signature } = await from.pair.signTransaction(made.bytes);
  if (signature !== made.signature) throw new Error("the two libraries sign differently");
  return { ...made, id: TransactionDataBuilder.getDigestFromBytes(made.bytes) };
}

const fields = (from, { to = "", amount = "0", budget = "3000000", price = "750", coins = [], token, ...more }) => ({
  coin: {
    chain: "Sui", ticker: token ? "USDC" : "SUI", address: from.address, contract_address: token ?? "",
    decimals: token ? 6 : 9, is_native_token: !token, hex_public_key: from.key,
  },
  to_address: to, to_amount: amount,
  suiche_specific: { reference_gas_price: price, coins, gas_budget: budget },
  vault_local_party_id: "oracle", lib_type: "DKLS", ...more,
});

const images = [];
const golden = [];
async function payment(name, request, spelt = request) {
  const from = signer();
  const made = await both(walletCore(from, request), from);
  const payload = encode(fields(from, spelt));
  // The longest payload need not be stored twice.
  if (request.coins.length < 100) images.push({
    name: `Sui: ${name}`, source: "wallet-core, @mysten/sui", chain: "Sui",
    keysign_payload_base64: payload, expected_image_hashes: [made.image],
  });
  golden.push({
    name: `sui_${name.replaceAll(" ", "_")}`, private_key_hex: hex(from.secret), curve: "ed25519",
    keysign_payload_base64: payload,
    expected: {
      imageHashes: [made.image], rawTransaction: base64(made.bytes), signature: made.signature, transactionHash: made.id,
    },
  });
}

const native = (...balances) => balances.map((balance) => coin(NATIVE, balance));
await payment("send one coin", { to: address(), amount: "1000000000", coins: native("10000000000") });
await payment("send the whole coin", { to: address(), amount: "7000000", coins: native("10000000") });
await payment("send one MIST", { to: address(), amount: "1", coins: native("3000001") });
await payment("send nothing", { to: address(), amount: "0", coins: native("9000000") });
await payment("the largest coin suffices", { to: address(), amount: "5000", coins: native("1", "9000000", "8000000") });
await payment("three coins of five", { to: address(), amount: "20000000", coins: native("2000000", "9000000", "8000000", "7000000", "1") });
const twins = [reference(), reference(), reference()];
await payment("equal balances go by name", { to: address(), amount: "6000000", coins: twins.map((each) => coin(NATIVE, "5000000", each)) });
await payment("the long name of SUI", { to: address(), amount: "77", coins: [coin(`0x${"2".padStart(64, "0")}::sui::SUI`, "4000000")] });
await payment("tokens are passed over", { to: address(), amount: "12345", coins: [coin(USDC, "999999999999"), ...native("50000000")] });
await payment("a budget of its own", { to: address(), amount: "42", budget: "12345678", price: "1000", coins: native("12345720") });
{
  const request = { to: address(), amount: "9", coins: native("100000000") };
  await payment("the budget when none is named", request, { ...request, budget: "" });
}
await payment("255 coins", { to: address(), amount: String(255 * 1000000 - 3000000), coins: Array.from({ length: 300 }, () => coin(NATIVE, "1000000")) });
await payment("more than 53 bits", { to: address(), amount: "9007199254740993", coins: native("9100000000000000") });
await payment("to a system address", { to: "0x" + "5".padStart(64, "0"), amount: "3", coins: native("3000003") });
for (let round = 1; round <= 6; round++) {
  const balances = Array.from({ length: 1 + number(8) }, () => String(1000000 + number(5e9)));
  const all = balances.reduce((sum, each) => sum + BigInt(each), 0n);
  const amount = (all > 3000000n ? all - 3000000n : 1n) / BigInt(1 + number(4));
  await payment(`random native ${round}`, { to: address(), amount: String(amount), coins: native(...balances) });
}
await payment("token with one coin", { to: address(), amount: "250", token: USDC, coins: [coin(USDC, "1000"), ...native("5000000")] });
await payment("token whole", { to: address(), amount: "1000", token: USDC, coins: [coin(USDC, "1000"), ...native("3000000")] });
await payment("token of three coins", { to: address(), amount: "2500", token: USDC, coins: [coin(USDC, "700"), coin(USDC, "1200"), coin(USDC, "900"), coin(USDC, "10"), ...native("5000000")] });
await payment("the smallest gas coin that suffices", { to: address(), amount: "1", token: USDC, coins: [coin(USDC, "5"), ...native("9000000", "2999999", "3000001", "7000000")] });
await payment("equal gas coins, the first", { to: address(), amount: "1", token: USDC, coins: [coin(USDC, "5"), ...native("4000000", "4000000")] });
{
  const type = "0x06864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS";
  await payment("a token with a leading zero", { to: address(), amount: "8", token: type, coins: [coin(type, "9"), ...native("4000000")] });
}
for (let round = 1; round <= 4; round++) {
  const balances = Array.from({ length: 1 + number(6) }, () => 1 + number(1e9));
  const amount = 1 + number(balances.reduce((sum, each) => sum + each, 0));
  const coins = [...balances.map((balance) => coin(USDC, balance)), ...native("3500000", String(3000000 + number(1e9)))];
  await payment(`random token ${round}`, { to: address(), amount: String(amount), token: USDC, coins });
}

// ---- whole transactions ----------------------------------------------------------------------------------------

const MAINNET = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S";
async function built(from, compose, change = () => {}) {
  const transaction = new Transaction();
  transaction.setSender(from.address);
  transaction.setGasPrice(500 + number(1000));
  transaction.setGasBudget(1000000 + number(9000000));
  transaction.setGasPayment([reference()]);
  compose(transaction);
  change(transaction);
  return transaction.build();
}
const shared = () => ({ objectId: address(), initialSharedVersion: String(1 + number(1e6)), mutable: true });
const module = () => base64(Buffer.concat([Buffer.from("a11ceb0b06000000", "hex"), random()]));
const transfer = (t) => t.transferObjects([t.splitCoins(t.gas, [number(1e9)])], address());
const forms = {
  "split and transfer": transfer,
  "three parts to three": (t) => {
    const parts = t.splitCoins(t.gas, [1, 2, 3]);
    [0, 1, 2].forEach((each) => t.transferObjects([parts[each]], address()));
  },
  "all of the gas coin": (t) => t.transferObjects([t.gas], address()),
  "objects": (t) => t.transferObjects([t.objectRef(reference()), t.objectRef(reference())], address()),
  "merge, split, transfer": (t) => {
    const first = t.objectRef(reference());
    t.mergeCoins(first, [t.objectRef(reference()), t.objectRef(reference())]);
    t.transferObjects([t.splitCoins(first, [123456789])], address());
  },
  "call with types": (t) => {
    const part = t.splitCoins(t.gas, [5000000]);
    const out = t.moveCall({
      target: `${address()}::pool_script::swap_a2b`, typeArguments: [NATIVE, USDC, `vector<${USDC}>`, "u8"],
      arguments: [t.sharedObjectRef(shared()), part, t.pure.u64(1), t.pure.u128(79226673515401279992447579055n), t.pure.bool(true), t.pure.string("note")],
    });
    t.transferObjects([out], address());
  },
  "generic type": (t) => t.moveCall({
    target: `${address()}::vault::claim`, typeArguments: [`0x2::coin::Coin<0x2::balance::Balance<${USDC}>>`], arguments: [t.sharedObjectRef({ objectId: "0x6", initialSharedVersion: 1, mutable: false })],
  }),
  "stake": (t) => {
    const part = t.splitCoins(t.gas, [1000000000]);
    t.moveCall({ target: "0x3::sui_system::request_add_stake", arguments: [t.sharedObjectRef({ objectId: "0x5", initialSharedVersion: 1, mutable: true }), part, t.pure.address(address())] });
  },
  "vector of coins": (t) => {
    const parts = t.splitCoins(t.gas, [7, 8]);
    const vector = t.makeMoveVec({ type: `0x2::coin::Coin<${NATIVE}>`, elements: [parts[0], parts[1]] });
    t.moveCall({ target: `${address()}::bag::put`, arguments: [vector] });
  },
  "vector of objects without a type": (t) => {
    const vector = t.makeMoveVec({ elements: [t.objectRef(reference())] });
    t.moveCall({ target: `${address()}::bag::put`, arguments: [vector] });
  },
  "receiving": (t) => t.moveCall({ target: `${address()}::box::open`, arguments: [t.objectRef(reference()), t.receivingRef(reference())] }),
  "shared and not changed": (t) => t.moveCall({ target: `${address()}::price::read`, arguments: [t.sharedObjectRef({ ...shared(), mutable: false })] }),
  "publish": (t) => t.transferObjects([t.publish({ modules: [module(), module()], dependencies: ["0x1", "0x2"] })], address()),
  "upgrade": (t) => {
    const packageId = address();
    const ticket = t.moveCall({ target: "0x2::package::authorize_upgrade", arguments: [t.objectRef(reference()), t.pure.u8(0), t.pure.vector("u8", [...random()])] });
    const receipt = t.upgrade({ modules: [module()], dependencies: ["0x1", "0x2"], package: packageId, ticket });
    t.moveCall({ target: "0x2::package::commit_upgrade", arguments: [t.objectRef(reference()), receipt] });
  },
  "withdrawal of a balance": (t) => {
    const from = t.withdrawal({ amount: 4242, type: USDC });
    t.moveCall({ target: "0x2::coin::redeem_funds", typeArguments: [USDC], arguments: [from] });
  },
  "nothing": () => {},
  "several gas coins": (t) => {
    t.setGasPayment([reference(), reference(), reference()]);
    transfer(t);
  },
};
const expirations = {
  "expires with an epoch": { Epoch: 777 },
  "valid during": { ValidDuring: { minEpoch: "5", maxEpoch: "6", minTimestamp: null, maxTimestamp: null, chain: MAINNET, nonce: 99 } },
  "valid between moments": { Validity: { minEpoch: null, maxEpoch: null, minTimestamp: "1790000000000", maxTimestamp: "1790000600000", chain: MAINNET, nonce: 1, allowedProposers: null } },
  "valid with proposers": { Validity: { minEpoch: "1", maxEpoch: "2", minTimestamp: null, maxTimestamp: null, chain: MAINNET, nonce: 4294967295, allowedProposers: { epoch: "1", proposers: [3, 77] } } },
};

const context = { derive_path: "m/44'/784'/0'/0'/0'" };
const common = { kind: "sui", chain: "Sui", signing_mode: "eddsa_ed25519" };
const valid = [];
async function whole(name, from, bytes) {
  const data = bcs.TransactionData.parse(bytes);
  const again = bcs.TransactionData.serialize(data).toBytes();
  if (base64(again) !== base64(bytes)) throw new Error(`${name}: @mysten/sui does not read its own bytes`);
  const { signature } = await from.pair.signTransaction(bytes);
  valid.push({
    name: `Sui: ${name}`, ...common, unsigned_tx_hex: "0x" + hex(bytes), chain_context: context,
    private_key_hex: hex(from.secret), from: from.address,
    expected: {
      hash: imageOf(bytes), signature_base64: signature,
      transaction_hash: TransactionDataBuilder.getDigestFromBytes(bytes), decoded: { sender: from.address, fee: data.V1.gasData.budget },
    },
    features: ["sui"], oracle: ["@mysten/sui", "wallet-core"], confidence: "high",
  });
  return { signature };
}
const made = {};
for (const [name, compose] of Object.entries(forms)) {
  const from = signer();
  const bytes = await built(from, compose);
  made[name] = { from, bytes };
  await whole(name, from, bytes);
}
// What the builder wants a node for is put into the bytes directly.
async function changed(from, change) {
  const data = bcs.TransactionData.parse(await built(from, transfer));
  change(data.V1);
  return bcs.TransactionData.serialize(data).toBytes();
}
const withExpiration = (from, expiration) => changed(from, (data) => (data.expiration = expiration));
{
  const from = signer();
  await whole("no gas coins", from, await changed(from, (data) => (data.gasData.payment = [])));
}
for (const [name, expiration] of Object.entries(expirations)) {
  const from = signer();
  await whole(name, from, await withExpiration(from, expiration));
}

// The same bytes inside payloads: sign_sui, and a SwapKit route.
for (const name of ["split and transfer", "call with types", "merge, split, transfer"]) {
  const { from, bytes } = made[name];
  const direct = signedByWalletCore({ signer: from.address, signDirectMessage: { unsignedTxMsg: base64(bytes) } }, from);
  if (direct.image !== imageOf(bytes)) throw new Error("wallet-core signs other bytes");
  const { signature } = await from.pair.signTransaction(bytes);
  const expected = { imageHashes: [direct.image], rawTransaction: base64(bytes), signature, transactionHash: TransactionDataBuilder.getDigestFromBytes(bytes) };
  const sign = fields(from, { budget: "0", price: "0", sign_sui: { unsigned_tx_msg: base64(bytes) } });
  const route = fields(from, {
    to: address(), amount: "5000000",
    swapkit_swap_payload: {
      from_coin: { chain: "Sui", ticker: "SUI", is_native_token: true }, to_coin: { chain: "Ethereum", ticker: "ETH" },
      from_amount: "5000000", to_amount_decimal: "0.01", tx_type: "SUI", tx_payload: bytes,
      target_address: address(), sub_provider: "NEAR", swap_id: "oracle",
    },
  });
  for (const [form, payload] of Object.entries({ sign_sui: sign, swapkit: route })) {
    golden.push({ name: `${form}: ${name}`, private_key_hex: hex(from.secret), curve: "ed25519", keysign_payload_base64: encode(payload), expected });
  }
}

// ---- what must be refused --------------------------------------------------------------------------------------

const malformed = [];
const refuse = (name, error, bytes, from = signer()) => malformed.push({
  name: `Sui: ${name}`, ...common, unsigned_tx_hex: "0x" + hex(bytes), chain_context: context, from: from.address,
  expect: "refuse", expected_error: error, confidence: "high", oracle: ["by construction"],
});
const { from: sender, bytes: good } = made["split and transfer"];
refuse("a byte too many", "malformed", [...good, 0], sender);
refuse("a byte too few", "malformed", good.slice(0, -1), sender);
refuse("a length in two bytes", "malformed", [0, 0, 0x82, 0, ...good.slice(3)], sender);
refuse("a count beyond the end", "malformed", [0, 0, 0xff, 0xff, 0xff, 0xff, 0x07, ...good.slice(3)], sender);
refuse("another version", "unsupported_tx_type", [1, ...good.slice(1)], sender);
refuse("the validators' own kind", "unsupported_tx_type", [0, 1, ...good.slice(2)], sender);
refuse("another sender", "not_owned", good);
{
  const from = signer();
  refuse("somebody else pays", "unsupported_payload", await built(from, transfer, (t) => t.setGasOwner(address())), from);
  const other = { ValidDuring: { minEpoch: "5", maxEpoch: "6", minTimestamp: null, maxTimestamp: null, chain: digest(), nonce: 1 } };
  refuse("valid on another chain", "chain_mismatch", await withExpiration(from, other), from);
  const astray = ({ kind }) => (kind.ProgrammableTransaction.commands[1].TransferObjects.address = { Input: 9 });
  refuse("an input that is not there", "malformed", await changed(from, astray), from);
}

write("sui", "keysign-payload-base64.json", images);
write("sui", "signed-tx-golden.json", golden);
write("sui", "unsigned-tx.json", { valid, malformed });
console.log(`sui: ${images.length} images, ${golden.length} signed, ${valid.length} whole, ${malformed.length} refused`);
