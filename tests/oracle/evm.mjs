// EVM chains: every form of payload signed by Wallet Core and read again by ethers, raw transactions made by ethers,
// and calldata that ethers encoded, with what it does. Where the libraries do not agree, nothing is written.
import assert from "node:assert";
import { createHash } from "node:crypto";
import { initWasm, TW } from "@trustwallet/wallet-core";
import { encodeRlp, decodeRlp, FunctionFragment, Interface, SigningKey, Transaction, Wallet } from "ethers";
import { encode, write } from "./payload.mjs";
import { calls } from "./evm/calls.mjs";

const core = await initWasm();
const { Ethereum } = TW;

const IDS = {
  Ethereum: 1, Arbitrum: 42161, Avalanche: 43114, Base: 8453, Blast: 81457, BSC: 56, CronosChain: 25,
  Hyperliquid: 999, Mantle: 5000, Optimism: 10, Polygon: 137, Robinhood: 4663, Sei: 1329, Zksync: 324,
};
const CHAINS = Object.keys(IDS);
const PATH = "m/44'/60'/0'/0/0";
const MAX = 2n ** 256n - 1n;

const hash = (text) => createHash("sha256").update(`countersign evm ${text}`).digest();
const number = (text, bits) => BigInt(`0x${hash(text).toString("hex")}`) % 2n ** BigInt(bits);
const wallet = (text) => new Wallet(`0x${hash(text).toString("hex")}`);
const address = (text) => wallet(text).address;
const plain = (text) => text.replace(/^0x/, "");
const bytes = (text) => Buffer.from(plain(text), "hex");

// Big-endian without leading zeros, as Wallet Core wants numbers.
function big(value) {
  const digits = BigInt(value).toString(16);
  return Buffer.from(digits.length % 2 ? `0${digits}` : digits, "hex");
}

const ROUTER = new Interface([
  "function depositWithExpiry(address vault, address asset, uint256 amount, string memo, uint256 expiration)",
]);
const ERC20 = new Interface([
  "function transfer(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
]);

// What Wallet Core signs: legacy on BSC, an EIP-1559 envelope elsewhere.
function sign(chain, key, gas, to, transaction) {
  const legacy = chain === "BSC";
  const input = Ethereum.Proto.SigningInput.create({
    chainId: big(IDS[chain]),
    nonce: big(gas.nonce),
    txMode: legacy ? Ethereum.Proto.TransactionMode.Legacy : Ethereum.Proto.TransactionMode.Enveloped,
    gasLimit: big(gas.limit),
    ...(legacy
      ? { gasPrice: big(gas.fee) }
      : { maxFeePerGas: big(gas.fee), maxInclusionFeePerGas: big(gas.tip) }),
    toAddress: to,
    privateKey: bytes(key.privateKey),
    transaction,
  });
  const output = core.AnySigner.sign(Ethereum.Proto.SigningInput.encode(input).finish(), core.CoinType.ethereum);
  const signed = Ethereum.Proto.SigningOutput.decode(output);
  assert.equal(signed.errorMessage, "");
  const raw = `0x${Buffer.from(signed.encoded).toString("hex")}`;
  const read = Transaction.from(raw);
  assert.equal(read.from, key.address);
  assert.equal(read.chainId, BigInt(IDS[chain]));
  return { raw: plain(raw), image: plain(read.unsignedHash), id: read.hash, read };
}

const generic = (value, data) => ({ contractGeneric: { amount: big(value), data: bytes(data) } });

// Wallet Core's own calls of tokens, held against ethers.
function transfer(chain, key, gas, token, to, amount) {
  const signed = sign(chain, key, gas, token, { erc20Transfer: { to, amount: big(amount) } });
  assert.equal(signed.read.data, ERC20.encodeFunctionData("transfer", [to, amount]));
  return signed;
}

function approve(chain, key, gas, token, spender, amount) {
  const signed = sign(chain, key, gas, token, { erc20Approve: { spender, amount: big(amount) } });
  assert.equal(signed.read.data, ERC20.encodeFunctionData("approve", [spender, amount]));
  return signed;
}

const golden = [];

function coin(chain, owner, contract = "") {
  return {
    chain, ticker: contract === "" ? "NATIVE" : "TOKEN", address: owner.address, contract_address: contract,
    decimals: contract === "" ? 18 : 6, is_native_token: contract === "",
    hex_public_key: plain(owner.signingKey.compressedPublicKey),
  };
}

function gasOf(name, changes = {}) {
  const fee = 1n + number(`${name} fee`, 38);
  return {
    nonce: number(`${name} nonce`, 20), limit: 21_000n + number(`${name} limit`, 22), fee, tip: fee / 3n, ...changes,
  };
}

function specific(gas) {
  return {
    max_fee_per_gas_wei: gas.fee.toString(), priority_fee: gas.tip.toString(), nonce: gas.nonce.toString(),
    gas_limit: gas.limit.toString(),
  };
}

// One case: the payload, and what Wallet Core made of the transactions it stands for.
function add(name, key, gas, payload, signed, approval) {
  const expected = {
    imageHashes: approval ? [approval.image, signed.image] : [signed.image],
    rawTransaction: signed.raw, transactionHash: signed.id,
    ...(approval && { approveRawTransaction: approval.raw, approveTransactionHash: approval.id }),
  };
  golden.push({
    name, private_key_hex: plain(key.privateKey), curve: "secp256k1",
    keysign_payload_base64: encode({ ethereum_specific: specific(gas), ...payload }), expected,
  });
}

const NONCES = [0n, 1n, 127n, 128n, 255n, 256n, 65_535n, 65_536n, 2n ** 31n, 2n ** 53n - 1n];
CHAINS.forEach((chain, index) => {
  const name = `${chain}: native coin`;
  const key = wallet(name);
  const gas = gasOf(name, { nonce: NONCES[index % NONCES.length] });
  const to = address(`${name} to`);
  const amount = index === 0 ? 0n : number(`${name} amount`, 30 + 5 * index);
  const payload = { coin: coin(chain, key), to_address: to, to_amount: amount.toString() };
  add(name, key, gas, payload, sign(chain, key, gas, to, { transfer: { amount: big(amount) } }));
});

for (const [chain, memo, data] of [
  ["Ethereum", "thanks for the fish", null],
  ["Base", "Grüße 🐟", null],
  ["BSC", "0xd0e30db0", "0xd0e30db0"],
  ["Zksync", "0x", "0x"],
  ["Sei", "0x00ff", "0x00ff"],
]) {
  const name = `${chain}: native coin with memo ${memo}`;
  const key = wallet(name);
  const gas = gasOf(name);
  const to = address(`${name} to`);
  const amount = number(`${name} amount`, 70);
  const payload = { coin: coin(chain, key), to_address: to, to_amount: amount.toString(), memo };
  const input = data ?? `0x${Buffer.from(memo, "utf8").toString("hex")}`;
  add(name, key, gas, payload, sign(chain, key, gas, to, { transfer: { amount: big(amount), data: bytes(input) } }));
}

for (const [chain, amount, memo] of [
  ["Ethereum", 1_000_000n, undefined], ["BSC", MAX, undefined], ["Polygon", 1n, "a memo that no token knows"],
  ["Mantle", 0n, undefined], ["Robinhood", number("robinhood", 200), undefined],
]) {
  const name = `${chain}: ${amount} of a token`;
  const key = wallet(name);
  const gas = gasOf(name);
  const [to, token] = [address(`${name} to`), address(`${name} token`)];
  const payload = { coin: coin(chain, key, token), to_address: to, to_amount: amount.toString(), ...(memo && { memo }) };
  add(name, key, gas, payload, transfer(chain, key, gas, token, to, amount));
}

for (const chain of ["Arbitrum", "BSC"]) {
  const name = `${chain}: a call in the memo`;
  const key = wallet(name);
  const gas = gasOf(name);
  const [to, token] = [address(`${name} to`), address(`${name} token`)];
  const memo = `0x${hash(`${name} data`).toString("hex")}`;
  const payload = { coin: coin(chain, key, token), to_address: to, to_amount: "0", memo };
  add(name, key, gas, payload, sign(chain, key, gas, to, generic(0n, memo)));
}

// A quote that asks for more or less than the payload's own gas and fee; the allowance never takes it.
for (const [chain, provider, more, native, field] of [
  ["Ethereum", "1inch", true, false, "oneinch_swap_payload"],
  ["Ethereum", "1inch", false, false, "oneinch_swap_payload"],
  ["BSC", "1inch", true, false, "oneinch_swap_payload"],
  ["Arbitrum", "li.fi", true, true, "oneinch_swap_payload"],
  ["Base", "kyber", false, true, "oneinch_swap_payload"],
  ["Optimism", "swapkit", true, false, "oneinch_swap_payload"],
  ["Avalanche", "old kyber", true, false, "kyberswap_swap_payload"],
]) {
  const name = `${chain}: swap over ${provider}, quote asks for ${more ? "more" : "less"}`;
  const key = wallet(name);
  const gas = gasOf(name);
  const [router, token] = [address(`${name} router`), native ? "" : address(`${name} token`)];
  const value = native ? number(`${name} value`, 60) : 0n;
  const amount = native ? value : number(`${name} amount`, 60);
  const data = `0x${hash(`${name} selector`).toString("hex").slice(0, 8)}${hash(name).toString("hex")}`;
  const quoted = more ? { limit: gas.limit + 77n, fee: gas.fee + 5n } : { limit: gas.limit - 77n, fee: gas.fee / 2n };
  const tx = {
    from: key.address, to: router.toLowerCase(), data, value: value.toString(), gas_price: quoted.fee.toString(),
    gas: quoted.limit.toString(),
  };
  const swap = {
    from_coin: coin(chain, key, token), to_coin: coin(chain, key, address(`${name} buy`)),
    from_amount: amount.toString(), to_amount_decimal: "1.5", quote: { dst_amount: "1500000", tx },
    ...(field === "oneinch_swap_payload" && { provider }),
  };
  const payload = {
    coin: coin(chain, key, token), to_address: router, to_amount: amount.toString(), [field]: swap,
    ...(!native && { erc20_approve_payload: { amount: MAX.toString(), spender: router } }),
  };
  const approval = native ? undefined : approve(chain, key, gas, token, router, MAX);
  const nonce = native ? gas.nonce : gas.nonce + 1n;
  const swapGas = more ? { ...gas, nonce, limit: quoted.limit, fee: quoted.fee } : { ...gas, nonce };
  add(name, key, gas, payload, sign(chain, key, swapGas, router, generic(value, data)), approval);
}

// The memo's length decides how the last words are filled up.
for (const [chain, field, length, native, allowed] of [
  ["Ethereum", "thorchain_swap_payload", 31, false, true], ["Ethereum", "thorchain_swap_payload", 32, false, true],
  ["Avalanche", "thorchain_swap_payload", 33, false, false], ["BSC", "thorchain_swap_payload", 70, false, true],
  ["Arbitrum", "mayachain_swap_payload", 64, false, true], ["Ethereum", "thorchain_swap_payload", 40, true, false],
  ["Arbitrum", "mayachain_swap_payload", 50, true, false],
]) {
  const name = `${chain}: ${native ? "coin" : "token"} in a ${field} with ${length} bytes of memo${allowed ? ", allowed first" : ""}`;
  const key = wallet(name);
  const gas = gasOf(name);
  const [vault, router] = [address(`${name} vault`), address(`${name} router`)];
  const token = native ? "" : address(`${name} token`);
  const amount = number(`${name} amount`, 64);
  const expiration = 1_700_000_000n + number(`${name} expiration`, 28);
  const memo = "=:BTC.BTC:bc1q0000000000000000000000000000000000000000:0/1/0:vi:0".padEnd(length, "0").slice(0, length);
  const swap = {
    from_address: key.address, from_coin: coin(chain, key, token), vault_address: vault, router_address: router,
    to_coin: { chain: "Bitcoin", ticker: "BTC", decimals: 8, is_native_token: true }, from_amount: amount.toString(),
    to_amount_decimal: "0.1", to_amount_limit: "0", expiration_time: expiration.toString(),
  };
  const payload = {
    coin: coin(chain, key, token), to_address: router, to_amount: amount.toString(), memo, [field]: swap,
    ...(allowed && { erc20_approve_payload: { amount: amount.toString(), spender: router } }),
  };
  const approval = allowed ? approve(chain, key, gas, token, router, amount) : undefined;
  const nonce = allowed ? gas.nonce + 1n : gas.nonce;
  const data = native
    ? `0x${Buffer.from(memo).toString("hex")}`
    : ROUTER.encodeFunctionData("depositWithExpiry", [vault, token, amount, memo, expiration]);
  const signed = sign(chain, key, { ...gas, nonce }, native ? vault : router, generic(native ? amount : 0n, data));
  add(name, key, gas, payload, signed, approval);
}
write("evm", "signed-tx-golden.json", golden);

// Raw transactions.
const TYPES = ["legacy", "eip2930", "eip1559"];

function fields(name, chain, type, changes = {}) {
  const fee = 1n + number(`${name} fee`, 40);
  return {
    type, chainId: IDS[chain], nonce: Number(number(`${name} nonce`, 16)), gasLimit: 21_000n + number(`${name} limit`, 22),
    to: address(`${name} to`), value: number(`${name} value`, 70), data: "0x",
    ...(type === 2 ? { maxFeePerGas: fee, maxPriorityFeePerGas: fee / 2n } : { gasPrice: fee }),
    ...(type > 0 && { accessList: [] }), ...changes,
  };
}

const context = (chain, type) => ({ chain_id: `0x${IDS[chain].toString(16)}`, derive_path: PATH, tx_type: TYPES[type] });

function raw(name, chain, type, changes) {
  const key = wallet(name);
  const tx = Transaction.from(fields(name, chain, type, changes));
  const unsigned = tx.unsignedSerialized;
  tx.signature = key.signingKey.sign(tx.unsignedHash);
  assert.equal(Transaction.from(tx.serialized).from, key.address);
  const fee = tx.gasLimit * (type === 2 ? tx.maxFeePerGas : tx.gasPrice);
  return {
    name, kind: "evm", chain, signing_mode: "ecdsa_secp256k1", unsigned_tx_hex: unsigned,
    chain_context: context(chain, type), private_key_hex: plain(key.privateKey), from: key.address,
    expected: {
      hash: plain(tx.unsignedHash), r: plain(tx.signature.r), s: plain(tx.signature.s),
      signed_tx_hex: tx.serialized, transaction_hash: tx.hash,
      decoded: {
        type: TYPES[type], chain_id: IDS[chain], to: tx.to, contract_creation: tx.to === null, value: tx.value.toString(),
        nonce: tx.nonce.toString(), gas_limit: tx.gasLimit.toString(), fee_ceiling_wei: fee.toString(),
        data_length: (tx.data.length - 2) / 2, selector: tx.to && tx.data.length >= 10 ? tx.data.slice(0, 10) : null,
      },
    },
  };
}

// The same transaction, with the chain id only in the context (D16).
const sixFields = (raw) => ({ ...raw, unsigned_tx_hex: encodeRlp(decodeRlp(raw.unsigned_tx_hex).slice(0, 6)) });

const KEYS = (name, count) => Array.from({ length: count }, (_, index) => `0x${hash(`${name} ${index}`).toString("hex")}`);
const valid = CHAINS.map((chain, index) => raw(`${chain}: ${TYPES[index % 3]}`, chain, index % 3));
for (const type of [0, 1, 2]) {
  valid.push(
    raw(`${TYPES[type]}: everything zero`, "Ethereum", type, {
      nonce: 0, value: 0n, gasLimit: 0n, ...(type === 2 ? { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n } : { gasPrice: 0n }),
    }),
    raw(`${TYPES[type]}: 300 bytes of data`, "Optimism", type, { data: `0x80${"5b".repeat(299)}` }),
    raw(`${TYPES[type]}: a new contract`, "Polygon", type, { to: null, data: `0x60${hash("code").toString("hex")}` }),
  );
}
valid.push(
  raw("legacy: largest value", "BSC", 0, { value: MAX }),
  sixFields(raw("legacy: six fields", "Ethereum", 0)),
  sixFields(raw("legacy: six fields, a new contract", "BSC", 0, { to: null, data: `0x60${hash("code").toString("hex")}` })),
  raw("eip2930: an access list", "Avalanche", 1, {
    accessList: [0, 1, 5].map((count) => ({ address: address(`access ${count}`), storageKeys: KEYS("key", count) })),
  }),
  raw("eip1559: an access list", "Blast", 2, { accessList: [{ address: address("access"), storageKeys: KEYS("more", 20) }] }),
);

// What must be refused: bytes that ethers made, changed by hand.
const malformed = [];
function refuse(name, unsigned, expected_error, changes = {}) {
  malformed.push({
    name, kind: "evm", chain: "Ethereum", signing_mode: "ecdsa_secp256k1", unsigned_tx_hex: unsigned,
    chain_context: context("Ethereum", 2), expect: "refuse", expected_error, ...changes,
  });
}
const legacyContext = { chain_context: context("Ethereum", 0) };
const right = Transaction.from(fields("right", "Ethereum", 2));
const legacy = Transaction.from(fields("right", "Ethereum", 0));
const items = decodeRlp(`0x${right.unsignedSerialized.slice(4)}`);
const legacyItems = decodeRlp(legacy.unsignedSerialized);
const typed = (list, type = "02") => `0x${type}${plain(encodeRlp(list))}`;
const replaced = (list, index, item) => list.map((old, place) => (place === index ? item : old));
const signature = wallet("signer").signingKey.sign(right.unsignedHash);
const signedAs = (tx) => Object.assign(tx.clone(), { signature }).serialized;

refuse("no bytes", "0x", "malformed");
refuse("only the type", "0x02", "malformed");
refuse("a byte behind the end", `${right.unsignedSerialized}00`, "malformed");
refuse("one byte short", right.unsignedSerialized.slice(0, -2), "malformed");
refuse("odd number of digits", right.unsignedSerialized.slice(0, -1), "malformed");
refuse("signed already, eip1559", signedAs(right), "malformed");
refuse("signed already, legacy", signedAs(legacy), "malformed", legacyContext);
refuse("a field missing", typed(items.slice(0, -1)), "malformed");
refuse("a field too many", typed([...items, "0x"]), "malformed");
refuse("leading zero in the fee", typed(replaced(items, 3, `0x00${plain(items[3])}`)), "malformed");
refuse("zero value as a zero byte", typed(replaced(items, 6, "0x00")), "malformed");
refuse("a value of 33 bytes", typed(replaced(items, 6, `0x01${"00".repeat(32)}`)), "malformed");
refuse("a gas limit of 9 bytes", typed(replaced(items, 4, `0x01${"00".repeat(8)}`)), "malformed");
refuse("the nonce no account reaches", typed(replaced(items, 1, `0x${"ff".repeat(8)}`)), "malformed");
refuse("a receiver of 19 bytes", typed(replaced(items, 5, items[5].slice(0, -2))), "malformed");
refuse("a list for a receiver", typed(replaced(items, 5, [items[5]])), "malformed");
refuse("a string for an access list", typed(replaced(items, 8, "0x")), "malformed");
refuse("a storage key of 31 bytes", typed(replaced(items, 8, [[items[5], [`0x${"11".repeat(31)}`]]])), "malformed");
refuse("a length in the long form", `0x02f8${(bytes(right.unsignedSerialized).length - 2).toString(16).padStart(2, "0")}${right.unsignedSerialized.slice(6)}`, "malformed");
const six = encodeRlp(legacyItems.slice(0, 6));
refuse("six fields without a chain id", six, "missing_field", { chain_context: { derive_path: PATH, tx_type: "legacy" } });
refuse("six fields for another chain id", six, "chain_mismatch", { chain_context: context("BSC", 0) });
refuse("six fields named eip1559", six, "tx_type_mismatch");
refuse("seven fields", encodeRlp(legacyItems.slice(0, 7)), "malformed", legacyContext);
refuse("another chain id, eip1559", typed(replaced(items, 0, "0x38")), "chain_mismatch");
refuse("another chain id, legacy", encodeRlp(replaced(legacyItems, 6, "0x38")), "chain_mismatch", legacyContext);
refuse("another chain id in the context", right.unsignedSerialized, "chain_mismatch", { chain_context: context("BSC", 2) });
refuse("legacy named eip1559", legacy.unsignedSerialized, "tx_type_mismatch");
refuse("eip1559 named legacy", right.unsignedSerialized, "tx_type_mismatch", legacyContext);
refuse("blobs", Transaction.from({
  ...fields("right", "Ethereum", 2), type: 3, maxFeePerBlobGas: 7n, blobVersionedHashes: [`0x01${hash("blob").toString("hex").slice(2)}`],
}).unsignedSerialized, "unsupported_tx_type");
refuse("set code", Transaction.from({
  ...fields("right", "Ethereum", 2), type: 4,
  authorizationList: [{ address: address("delegate"), nonce: 1n, chainId: 1n, signature }],
}).unsignedSerialized, "unsupported_tx_type");
refuse("a type that does not exist", typed(items, "05"), "unsupported_tx_type");
refuse("eddsa", right.unsignedSerialized, "signing_mode_mismatch", { signing_mode: "eddsa_ed25519" });
write("evm", "unsigned-tx.json", { valid, malformed });

// Calldata, put into transactions of one account.
const me = wallet("calls");
write("evm", "calls.json", {
  private_key_hex: plain(me.privateKey), from: me.address,
  calls: calls({ me: me.address, address, number }).map(({
    name, signature, values, to, value = 0n, data, memo = null, effects, parties = [], facts = [],
  }) => {
    const fragment = signature && FunctionFragment.from(signature);
    const interface_ = signature && new Interface([fragment]);
    const input = data ?? interface_.encodeFunctionData(fragment, values);
    const tx = Transaction.from({ ...fields(name, "Ethereum", 2), to, value, data: input });
    return {
      name, ...(fragment && { signature: fragment.format("sighash"), selector: fragment.selector }),
      to, unsigned_tx_hex: tx.unsignedSerialized, memo, effects, parties, facts,
    };
  }),
});
