// Tron: every form of payload, built and signed by Wallet Core and read again by TronWeb. Where the two do not agree
// on what was signed and by whom, nothing is written.
import assert from "node:assert";
import { createHash } from "node:crypto";
import { initWasm, TW } from "@trustwallet/wallet-core";
import Long from "long";
import { TronWeb, utils } from "tronweb";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
const { Tron } = TW;
const USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const MOST = 2n ** 63n - 1n;

const hash = (text) => createHash("sha256").update(`countersign tron ${text}`).digest();
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const number = (text, bits) => BigInt(`0x${hex(hash(text))}`) % 2n ** BigInt(bits);
const long = (value) => Long.fromString(value.toString());
const account = (text) => core.CoinTypeExt.deriveAddress(core.CoinType.tron, core.PrivateKey.createWithData(hash(text)));
const without = (text) => text.replace(/^0x/, "");

// A block and two times that are different in every case.
function specific(name, changes = {}) {
  const time = 1_700_000_000_000n + number(`${name} time`, 36);
  return {
    timestamp: time.toString(),
    expiration: (time + 60_000n).toString(),
    block_header_timestamp: (time - 3_000n).toString(),
    block_header_number: number(`${name} height`, 34).toString(),
    block_header_version: 30,
    block_header_tx_trie_root: hex(hash(`${name} root`)),
    block_header_parent_hash: hex(hash(`${name} parent`)),
    block_header_witness_address: `41${hex(hash(`${name} witness`)).slice(24)}`,
    gas_estimation: (1_000_000n + number(`${name} gas`, 30)).toString(),
    ...changes,
  };
}

function coin(owner, contract = "") {
  const native = contract === "";
  return {
    chain: "Tron", ticker: native ? "TRX" : "USDT", address: owner, contract_address: contract, decimals: 6,
    is_native_token: native,
  };
}

// What Wallet Core signs for one contract.
function sign(key, { contract, specific, memo, limited }) {
  const header = {
    timestamp: long(specific.block_header_timestamp),
    number: long(specific.block_header_number),
    version: specific.block_header_version,
    txTrieRoot: Buffer.from(specific.block_header_tx_trie_root, "hex"),
    parentHash: Buffer.from(specific.block_header_parent_hash, "hex"),
    witnessAddress: Buffer.from(specific.block_header_witness_address, "hex"),
  };
  const transaction = {
    ...contract,
    timestamp: long(specific.timestamp),
    expiration: long(specific.expiration),
    blockHeader: header,
    feeLimit: limited ? long(specific.gas_estimation) : undefined,
    memo,
  };
  const input = Tron.Proto.SigningInput.create({ transaction, privateKey: key });
  const output = core.AnySigner.sign(Tron.Proto.SigningInput.encode(input).finish(), core.CoinType.tron);
  const signed = Tron.Proto.SigningOutput.decode(output);
  assert.equal(signed.errorMessage, "");
  return JSON.parse(signed.json);
}

const cases = [];

// One case: its payload, and what must come of it, provided that TronWeb sees the same in it.
function add(name, key, payload, signed) {
  const owner = core.CoinTypeExt.deriveAddress(core.CoinType.tron, core.PrivateKey.createWithData(key));
  assert.equal(hex(createHash("sha256").update(Buffer.from(signed.raw_data_hex, "hex")).digest()), signed.txID, name);
  const type = signed.raw_data.contract[0].type;
  const read = utils.deserializeTx.deserializeTransaction(type, signed.raw_data_hex);
  const value = read.contract[0].parameter.value;
  assert.equal(value.owner_address.toLowerCase(), TronWeb.address.toHex(owner).toLowerCase(), name);
  // TronWeb's numbers end at 2^53.
  if ([read, value].flatMap(Object.values).every((field) => typeof field !== "number" || Number.isSafeInteger(field))) {
    assert.equal(without(utils.transaction.txPbToTxID(utils.transaction.txJsonToPb({ raw_data: read }))), signed.txID, name);
  }
  assert.equal(TronWeb.address.fromHex(utils.crypto.ecRecover(signed.txID, signed.signature[0])), owner, name);
  const publicKey = core.PrivateKey.createWithData(key).getPublicKeySecp256k1(true).data();
  payload.coin.hex_public_key = hex(publicKey);
  cases.push({
    name,
    private_key_hex: hex(key),
    curve: "secp256k1",
    keysign_payload_base64: encode(payload),
    expected: { imageHashes: [signed.txID], rawTransaction: JSON.stringify(signed), transactionHash: signed.txID },
  });
}

function plain(name, { amount, memo, contract = "", changes }) {
  const key = hash(`${name} key`);
  const owner = account(`${name} key`);
  const to = account(`${name} receiver`);
  const tron_specific = specific(name, changes);
  const bytes = Buffer.from(amount.toString(16).padStart(64, "0"), "hex");
  const message = contract === ""
    ? { transfer: { ownerAddress: owner, toAddress: to, amount: long(amount) } }
    : { transferTrc20Contract: { ownerAddress: owner, toAddress: to, contractAddress: contract, amount: bytes } };
  const payload = { coin: coin(owner, contract), to_address: to, to_amount: amount.toString(), tron_specific, memo };
  if (memo === undefined) delete payload.memo;
  add(name, key, payload, sign(key, { contract: message, specific: tron_specific, memo, limited: contract !== "" }));
}

plain("trx_one_sun", { amount: 1n });
plain("trx_most", { amount: MOST });
plain("trx_memo", { amount: 1_000_000n, memo: "helloworld" });
plain("trx_memo_empty", { amount: 2_000_000n, memo: "" });
plain("trx_memo_unicode", { amount: 3_000_000n, memo: "Miete für März ✓" });
plain("trx_memo_long", { amount: 4_000_000n, memo: "0123456789".repeat(40) });
plain("trx_memo_hex", { amount: 5_000_000n, memo: "0xdeadbeef" });
plain("trx_block_ends_in_zeros", { amount: 6n, changes: { block_header_number: "65536" } });
plain("trx_block_zero", { amount: 7n, changes: { block_header_number: "0" } });
plain("trx_block_far", { amount: 8n, changes: { block_header_number: (2n ** 48n + 513n).toString() } });
plain("trx_version_zero", { amount: 9n, changes: { block_header_version: 0 } });
for (let i = 0; i < 4; i++) plain(`trx_random_${i}`, { amount: 1n + number(`trx ${i}`, 50) });

plain("trc20_nothing", { amount: 0n, contract: USDT });
plain("trc20_one", { amount: 1n, contract: USDT });
plain("trc20_over_64_bits", { amount: 2n ** 64n, contract: USDT });
plain("trc20_most", { amount: 2n ** 256n - 1n, contract: USDT });
plain("trc20_memo", { amount: 5_000_000n, contract: USDT, memo: "invoice 7" });
plain("trc20_no_limit", { amount: 6_000_000n, contract: USDT, changes: { gas_estimation: "0" } });
plain("trc20_limit_most", { amount: 7_000_000n, contract: USDT, changes: { gas_estimation: MOST.toString() } });
for (let i = 0; i < 3; i++) {
  plain(`trc20_random_${i}`, { amount: number(`trc20 ${i}`, 90), contract: account(`token ${i}`) });
}

// A contract that a page made. The payload's own receiver and amount do not count.
function page(name, field, make, { memo, limited }) {
  const key = hash(`${name} key`);
  const owner = account(`${name} key`);
  const tron_specific = specific(name);
  const { fields, contract } = make(owner);
  const payload = { coin: coin(owner), to_address: owner, to_amount: "0", tron_specific, [field]: { owner_address: owner, ...fields } };
  if (memo !== undefined) payload.memo = memo;
  add(name, key, payload, sign(key, { contract, specific: tron_specific, memo, limited }));
}

function transferContract(name, amount, memo) {
  page(name, "tron_transfer_contract_payload", (owner) => {
    const to = account(`${name} receiver`);
    return {
      fields: { to_address: to, amount: amount.toString() },
      contract: { transfer: { ownerAddress: owner, toAddress: to, amount: long(amount) } },
    };
  }, { memo, limited: false });
}

function assetContract(name, asset, amount, memo) {
  page(name, "tron_transfer_asset_contract_payload", (owner) => {
    const to = account(`${name} receiver`);
    return {
      fields: { to_address: to, amount: amount.toString(), asset_name: asset },
      contract: { transferAsset: { ownerAddress: owner, toAddress: to, amount: long(amount), assetName: asset } },
    };
  }, { memo, limited: true });
}

function trigger(name, fields, memo) {
  page(name, "tron_trigger_smart_contract_payload", (owner) => {
    const contract = fields.contract_address ?? USDT;
    return {
      fields: { ...fields, contract_address: contract },
      contract: {
        triggerSmartContract: {
          ownerAddress: owner,
          contractAddress: contract,
          callValue: long(fields.call_value || 0),
          data: Buffer.from(fields.data ?? "", "hex"),
          callTokenValue: long(fields.call_token_value || 0),
          tokenId: long(fields.token_id ?? 0),
        },
      },
    };
  }, { memo, limited: true });
}

const abi = (types, values) => without(utils.abi.encodeParams(types, values));
transferContract("page_transfer", 12_345n);
transferContract("page_transfer_memo", MOST, "from a page");
assetContract("page_asset", "1002000", 77n);
assetContract("page_asset_memo", "1000226", MOST, "an asset");
trigger("page_call_empty", {});
trigger("page_call_value_empty_text", { call_value: "", data: "d0e30db0" });
trigger("page_call_deposit", { call_value: "1500000", data: "d0e30db0", contract_address: account("wrapped") });
trigger("page_call_token", { call_token_value: "9", token_id: 1002000, data: "aabbccdd" });
trigger("page_approve", { data: `095ea7b3${abi(["address", "uint256"], [account("spender"), 500])}` }, "approve");
trigger("page_approve_unlimited", { data: `095ea7b3${abi(["address", "uint256"], [account("spender"), 2n ** 256n - 1n])}` });
trigger("page_transfer_from", {
  data: `23b872dd${abi(["address", "address", "uint256"], [account("giver"), account("taker"), 31])}`,
});
trigger("page_call_long", { call_value: MOST.toString(), data: hex(hash("long")).repeat(40) });

// Staking: the memo says which and is not written, and there is no limit.
function stake(memo, amount) {
  const name = `stake_${memo.toLowerCase().replace(":", "_")}`;
  const key = hash(`${name} key`);
  const owner = account(`${name} key`);
  const tron_specific = specific(name);
  const [verb, resource] = memo.split(":");
  const contract = {
    FREEZE: { freezeBalanceV2: { ownerAddress: owner, frozenBalance: long(amount), resource } },
    UNFREEZE: { unfreezeBalanceV2: { ownerAddress: owner, unfreezeBalance: long(amount), resource } },
    WITHDRAW_EXPIRE_UNFREEZE: { withdrawExpireUnfreeze: { ownerAddress: owner } },
  }[verb];
  const payload = { coin: coin(owner), to_address: owner, to_amount: amount.toString(), tron_specific, memo };
  add(name, key, payload, sign(key, { contract, specific: tron_specific, memo: undefined, limited: false }));
}

stake("FREEZE:BANDWIDTH", 1n);
stake("FREEZE:ENERGY", MOST);
stake("UNFREEZE:BANDWIDTH", 25_000_000n);
stake("UNFREEZE:ENERGY", 1_000_000_000n);
stake("WITHDRAW_EXPIRE_UNFREEZE", 12_500_000n);

// A swap pays the network's vault; the memo says what for.
function swap(name, field, memo, contract = "") {
  const key = hash(`${name} key`);
  const owner = account(`${name} key`);
  const vault = account(`${name} vault`);
  const amount = 10_000_000n + number(`${name} amount`, 40);
  const tron_specific = specific(name);
  const bytes = Buffer.from(amount.toString(16).padStart(64, "0"), "hex");
  const message = contract === ""
    ? { transfer: { ownerAddress: owner, toAddress: vault, amount: long(amount) } }
    : { transferTrc20Contract: { ownerAddress: owner, toAddress: vault, contractAddress: contract, amount: bytes } };
  const payload = {
    coin: coin(owner, contract), to_address: vault, to_amount: amount.toString(), tron_specific, memo,
    [field]: {
      from_address: owner, from_coin: coin(owner, contract), vault_address: vault, from_amount: amount.toString(),
      to_amount_decimal: "0.01", to_amount_limit: "0",
    },
  };
  add(name, key, payload, sign(key, { contract: message, specific: tron_specific, memo, limited: contract !== "" }));
}

const bitcoin = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
swap("swap_thorchain_trx", "thorchain_swap_payload", `=:BTC.BTC:${bitcoin}:990000/3/0:va:50`);
swap("swap_thorchain_usdt", "thorchain_swap_payload", `=:b:${bitcoin}:1e6`, USDT);
swap("swap_mayachain_trx", "mayachain_swap_payload", `=:MAYA.CACAO:maya1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqrw4dqp:0`);
swap("swap_mayachain_usdt", "mayachain_swap_payload", "=:z:t1PKtYdJJHhc3Pxowmznkg7vdTwnhEsCvR4:5", USDT);

// SwapKit hands over a transaction as TronWeb writes it; it is signed as it is.
function swapkit(name, { contract = "", type, value, fee_limit, data }) {
  const key = hash(`${name} key`);
  const owner = account(`${name} key`);
  const to = account(`${name} receiver`);
  const amount = 5_000_000n;
  const time = 1_750_000_000_000;
  const raw_data = {
    contract: [{ parameter: { value: value(TronWeb.address.toHex(owner), TronWeb.address.toHex(to), amount), type_url: `type.googleapis.com/protocol.${type}` }, type }],
    ref_block_bytes: hex(hash(`${name} block`)).slice(0, 4),
    ref_block_hash: hex(hash(`${name} block`)).slice(0, 16),
    expiration: time + 60_000,
    timestamp: time,
  };
  if (fee_limit) raw_data.fee_limit = fee_limit;
  if (data) raw_data.data = hex(Buffer.from(data));
  const pb = utils.transaction.txJsonToPb({ raw_data });
  const transaction = {
    visible: false, txID: without(utils.transaction.txPbToTxID(pb)), raw_data,
    raw_data_hex: without(utils.transaction.txPbToRawDataHex(pb)).toLowerCase(),
  };
  const payload = {
    coin: coin(owner, contract), to_address: to, to_amount: amount.toString(), tron_specific: specific(name),
    swapkit_swap_payload: {
      from_coin: coin(owner, contract), from_amount: amount.toString(), to_amount_decimal: "1", tx_type: "TRON",
      tx_payload: Buffer.from(JSON.stringify(transaction)).toString("base64"), target_address: to,
      sub_provider: "NEAR", swap_id: "1",
    },
  };
  const signature = core.PrivateKey.createWithData(key).sign(Buffer.from(transaction.txID, "hex"), core.Curve.secp256k1);
  add(name, key, payload, { ...transaction, signature: [hex(signature)] });
}

swapkit("swapkit_trx", {
  type: "TransferContract",
  value: (owner, to, amount) => ({ owner_address: owner, to_address: to, amount: Number(amount) }),
});
swapkit("swapkit_trx_memo", {
  type: "TransferContract", data: "swap 1",
  value: (owner, to, amount) => ({ owner_address: owner, to_address: to, amount: Number(amount) }),
});
swapkit("swapkit_usdt", {
  contract: USDT, type: "TriggerSmartContract", fee_limit: 100_000_000,
  value: (owner, to, amount) => ({
    owner_address: owner, contract_address: TronWeb.address.toHex(USDT),
    data: `a9059cbb${abi(["address", "uint256"], [to, amount])}`,
  }),
});
swapkit("swapkit_router", {
  type: "TriggerSmartContract", fee_limit: 200_000_000,
  value: (owner, to, amount) => ({
    owner_address: owner, contract_address: to, call_value: Number(amount), data: hex(hash("router")).repeat(3),
  }),
});

write("tron", "signed-tx-golden.json", cases);
console.log(`tron: ${cases.length} cases`);
