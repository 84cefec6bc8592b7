// TON: every form of payload, built and signed by Wallet Core, and built once more with @ton/core. Where the two do
// not agree on what is signed, or the signed letter is not what was meant, nothing is written.
import assert from "node:assert";
import { createHash } from "node:crypto";
import { Address, beginCell, Cell, internal, loadMessage, storeMessageRelaxed } from "@ton/core";
import { keyPairFromSeed, signVerify } from "@ton/crypto";
import { WalletContractV4 } from "@ton/ton";
import { initWasm, TW } from "@trustwallet/wallet-core";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
const { TheOpenNetwork } = TW;
const SUBWALLET = 698983191;
const JETTON_VALUE = 80_000_000n;
const FOREVER = 0xffffffff;

const hash = (text) => createHash("sha256").update(`countersign ton ${text}`).digest();
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const number = (text, bits) => BigInt(`0x${hex(hash(text))}`) % 2n ** BigInt(bits);
const big = (value) => Buffer.from(BigInt(value).toString(16).padStart(2, "0").replace(/^(?=(..)*.$)/, "0"), "hex");
const somebody = (name, workchain = 0) => new Address(workchain, hash(`account ${name}`));
const spelt = {
  user: (address) => address.toString({ bounceable: false, urlSafe: true }),
  contract: (address) => address.toString({ bounceable: true, urlSafe: true }),
  plain: (address) => address.toString({ bounceable: true, urlSafe: false }),
  raw: (address) => address.toRawString(),
};

// The account of a case.
function account(name) {
  const key = hash(`key ${name}`);
  const { publicKey } = keyPairFromSeed(key);
  const { address, init } = WalletContractV4.create({ workchain: 0, publicKey });
  return { key, publicKey, address, init };
}

const comment = (text) => (text === "" ? beginCell().endCell() : beginCell().storeUint(0, 32).storeBuffer(Buffer.from(text)).endCell());

function jettonBody(own, { amount, to, forward, memo }) {
  const body = beginCell().storeUint(0x0f8a7ea5, 32).storeUint(0, 64).storeCoins(amount).storeAddress(to)
    .storeAddress(own).storeBit(0).storeCoins(forward).storeBit(0);
  return body.storeSlice(comment(memo).beginParse()).endCell();
}

// What @ton/core makes of the messages: the cell that is signed. Bodies and states always by reference.
function order({ sequence, until, messages }) {
  const cell = beginCell().storeUint(SUBWALLET, 32).storeUint(until, 32).storeUint(sequence, 32).storeUint(0, 8);
  for (const { mode, to, bounce, value, body, state } of messages) {
    let message = beginCell().store(storeMessageRelaxed(internal({ to, bounce, value, body }), { forceRef: true }));
    if (state) {
      const { info } = internal({ to, bounce, value, body });
      message = beginCell().storeUint(0b01, 2).storeBit(info.bounce).storeUint(0, 3).storeAddress(to).storeCoins(value)
        .storeUint(0, 1 + 4 + 4 + 64 + 32).storeUint(0b11, 2).storeRef(state).storeBit(1).storeRef(body);
    }
    cell.storeUint(mode, 8).storeRef(message.endCell());
  }
  return cell.endCell();
}

// What Wallet Core signs, and that it is the same.
function sign(own, { sequence, expires, transfers, messages }) {
  const input = TheOpenNetwork.Proto.SigningInput.create({
    privateKey: own.key,
    walletVersion: TheOpenNetwork.Proto.WalletVersion.WALLET_V4_R2,
    sequenceNumber: sequence,
    expireAt: expires,
    messages: transfers.map((transfer) => TheOpenNetwork.Proto.Transfer.create(transfer)),
  });
  const bytes = TheOpenNetwork.Proto.SigningInput.encode(input).finish();
  const output = TheOpenNetwork.Proto.SigningOutput.decode(core.AnySigner.sign(bytes, core.CoinType.ton));
  assert.equal(output.errorMessage, "");
  const root = Cell.fromBase64(output.encoded);
  assert.equal(hex(root.hash()), hex(output.hash));
  const letter = loadMessage(root.beginParse());
  assert(letter.info.dest.equals(own.address));
  assert.equal(letter.init != null, sequence === 0);
  const body = letter.body.beginParse();
  const signature = body.loadBuffer(64);
  const image = body.asCell().hash();
  assert(signVerify(image, signature, own.publicKey));
  const until = sequence === 0 ? FOREVER : expires;
  assert.equal(hex(order({ sequence, until, messages }).hash()), hex(image));
  return { imageHashes: [hex(image)], rawTransaction: output.encoded, transactionHash: hex(output.hash) };
}

const cases = [];

function add(name, own, { sequence, specific = {}, fields, coin = {}, transfers, messages }) {
  const expires = 1_800_000_000 + Number(number(`${name} expires`, 26));
  const payload = {
    coin: {
      chain: "Ton", ticker: "TON", address: spelt.user(own.address), decimals: 9, is_native_token: true,
      hex_public_key: hex(own.publicKey), ...coin,
    },
    ton_specific: { sequence_number: sequence, expire_at: expires, ...specific },
    ...fields,
  };
  const expected = sign(own, { sequence, expires, transfers, messages });
  const key = { private_key_hex: hex(own.key), curve: "ed25519" };
  cases.push({ name: `ton ${name}`, ...key, keysign_payload_base64: encode(payload), expected });
}

function native(name, { sequence = 9, to = spelt.user(somebody(name)), value, bounce = false, memo, all = false, fields = {} }) {
  const own = account(name);
  const mode = all ? 130 : 3;
  const sent = all ? 0n : BigInt(value);
  const bounced = bounce || ["d", "w", "Deposit", "Withdraw"].includes((memo ?? "").trim());
  add(name, own, {
    sequence,
    specific: { bounceable: bounce, send_max_amount: all },
    fields: { to_address: to, to_amount: `${value}`, ...(memo === undefined ? {} : { memo }), ...fields },
    transfers: [{ dest: to, amount: big(sent), mode, bounceable: bounced, comment: memo ?? "" }],
    messages: [{ mode, to: Address.parse(to), bounce: bounced, value: sent, body: comment(memo ?? "") }],
  });
}

function jetton(name, { sequence = 3, value, memo = "", active = true, to = spelt.user(somebody(name)) }) {
  const own = account(name);
  const wallet = somebody(`${name} jetton wallet`);
  const forward = active ? 1n : 0n;
  const recipient = Address.parse(to);
  add(name, own, {
    sequence,
    coin: { ticker: "USDT", decimals: 6, is_native_token: false, contract_address: spelt.contract(somebody("jetton")) },
    specific: { bounceable: true, jetton_address: spelt.contract(wallet), is_active_destination: active },
    fields: { to_address: to, to_amount: `${value}`, ...(memo === "" ? {} : { memo }) },
    transfers: [{
      dest: spelt.contract(wallet), amount: big(JETTON_VALUE), mode: 3, bounceable: true, comment: memo,
      jettonTransfer: {
        jettonAmount: big(value), toOwner: spelt.contract(recipient), responseAddress: spelt.user(own.address),
        forwardAmount: big(forward),
      },
    }],
    messages: [{
      mode: 3, to: wallet, bounce: true, value: JETTON_VALUE,
      body: jettonBody(own.address, { amount: BigInt(value), to: recipient, forward, memo }),
    }],
  });
}

// Messages of an application: [value, body or nothing, state or nothing]. Each bounces as its own address says, and a
// raw one unless it makes the contract.
function requested(name, list, { sequence = 12, bounce = false } = {}) {
  const own = account(name);
  const parts = list.map(([value, body, state], place) => {
    const to = somebody(`${name} ${place}`);
    const form = ["user", "contract", "raw"][place % 3];
    return { to, text: spelt[form](to), value, body, state, bounced: form === "contract" || (form === "raw" && !state) };
  });
  const boc = (cell) => cell?.toBoc({ crc32: true }).toString("base64");
  add(name, own, {
    sequence,
    specific: { bounceable: bounce },
    fields: {
      to_address: parts[0].text, to_amount: `${parts[0].value}`,
      sign_ton: {
        ton_messages: parts.map(({ text, value, body, state }) => ({
          to: text, amount: `${value}`, ...(body ? { payload: boc(body) } : {}), ...(state ? { state_init: boc(state) } : {}),
        })),
      },
    },
    transfers: parts.map(({ text, value, body, state, bounced }) => ({
      dest: text, amount: big(value), mode: 3, bounceable: bounced, comment: "", customPayload: boc(body), stateInit: boc(state),
    })),
    messages: parts.map(({ to, value, body, state, bounced }) => ({
      mode: 3, to, bounce: bounced, value, body: body ?? comment(""), state,
    })),
  });
}

native("transfer", { value: 1_500_000_000n });
native("first transfer", { sequence: 0, value: 1_000_000_000n });
native("first transfer with comment", { sequence: 0, value: 123n, memo: "first" });
native("bounceable", { value: 77_000_000n, bounce: true, to: spelt.contract(somebody("bounceable")) });
native("not bounceable to an EQ address", { value: 5n, to: spelt.contract(somebody("eq")) });
native("raw address", { value: 6n, to: spelt.raw(somebody("raw")) });
native("plain base64 address", { value: 6n, to: spelt.plain(new Address(0, Buffer.alloc(32, 0xfb))) });
native("masterchain", { value: 10_000_000_000n, bounce: true, to: spelt.contract(somebody("pool", -1)) });
native("raw masterchain", { value: 1n, to: spelt.raw(somebody("raw pool", -1)) });
native("nothing", { value: 0n, memo: "only words" });
native("one nanoton", { value: 1n });
native("full byte", { value: 255n });
native("two bytes", { value: 256n });
native("eight bytes", { value: 2n ** 63n });
native("nine bytes", { value: 2n ** 64n + 1n });
native("most", { value: 2n ** 120n - 1n });
native("comment", { value: 42_000_000n, memo: "thank you" });
native("comment of 123 bytes", { value: 1n, memo: "x".repeat(123) });
native("comment in other letters", { value: 1n, memo: "спасибо 感謝 🙏" });
native("comment with line break", { value: 1n, memo: "a\nb" });
native("empty comment", { value: 1n, memo: "" });
native("stake", { value: 11_000_000_000n, memo: "d", to: spelt.contract(somebody("nominators", -1)) });
native("unstake", { value: 200_000_000n, memo: "w", to: spelt.contract(somebody("nominators", -1)) });
native("stake with blanks", { value: 11_000_000_000n, memo: " d ", to: spelt.contract(somebody("nominators", -1)) });
native("stake in the other make of pool", { value: 51_000_000_000n, memo: "Deposit", to: spelt.raw(somebody("whales")) });
native("unstake from the other make of pool", { value: 200_000_000n, memo: "Withdraw", to: spelt.contract(somebody("whales")) });
native("no stake", { value: 51_000_000_000n, memo: "deposit", to: spelt.raw(somebody("whales")) });
native("everything", { value: 999_999_999n, all: true });
native("everything at first", { sequence: 0, value: 999_999_999n, all: true });
native("everything with comment", { value: 1n, all: true, memo: "closing" });
native("high sequence", { sequence: 0xfffffffe, value: 1n });
jetton("jetton", { value: 5_000_000n });
jetton("first jetton", { sequence: 0, value: 1n });
jetton("jetton to nobody yet", { value: 5_000_000n, active: false });
jetton("jetton with comment", { value: 1_000n, memo: "invoice 7" });
jetton("jetton with the longest comment", { value: 100_000n, memo: "y".repeat(39) });
jetton("jetton to a raw address", { value: 7n, to: spelt.raw(somebody("jetton raw")) });
jetton("most of a jetton", { value: 2n ** 120n - 1n });
const words = beginCell().storeUint(0, 32).storeStringTail("from an application").endCell();
const swapBody = beginCell().storeUint(0x25938561, 32).storeRef(words).storeRef(words).storeUint(5, 7).endCell();
const state = beginCell().storeUint(0, 2).storeMaybeRef(words).storeMaybeRef(swapBody).storeUint(0, 1).endCell();
requested("one request", [[5_000_000n, words]]);
requested("request without payload", [[5_000_000n]]);
requested("request that deploys", [[50_000_000n, words, state]], { sequence: 0 });
requested("request with state only", [[50_000_000n, undefined, state]]);
requested("two requests", [[1n, words], [2n, swapBody]], { bounce: true });
requested("four requests", [[1n], [2n, words], [3n, swapBody, state], [2n ** 70n]], { sequence: 1 });
requested("three requests to addresses of each form", [[1n], [2n], [3n]]);
requested("three requests that deploy", [[1n, words, state], [2n, words, state], [3n, words, state]], { bounce: true });
requested("deep request", [[1n, Array.from({ length: 40 }).reduce((below) => beginCell().storeUint(9, 5).storeRef(below).endCell(), words)]]);
const deposit = spelt.user(somebody("deposit"));
for (const [name, tx] of [["swap", [{ address: deposit, amount: "2500000000" }]], ["swap without a list", null]]) {
  native(name, {
    value: 2_500_000_000n, to: deposit,
    fields: {
      swapkit_swap_payload: {
        from_coin: { chain: "Ton", ticker: "TON" }, to_coin: { chain: "Ethereum", ticker: "ETH" }, from_amount: "2500000000",
        to_amount_decimal: "0.01", tx_type: "TON", target_address: deposit, sub_provider: "CHAINFLIP", swap_id: "1",
        tx_payload: tx ? Buffer.from(JSON.stringify(tx)).toString("base64") : "",
      },
    },
  });
}
for (let place = 0; place < 12; place += 1) {
  const bits = 10 + 9 * place;
  native(`random ${place}`, {
    sequence: Number(number(`sequence ${place}`, 20)), value: number(`value ${place}`, bits), bounce: place % 2 === 0,
    memo: place % 3 === 0 ? hex(hash(`memo ${place}`)).slice(0, place * 4) : undefined,
  });
}

write("ton", "signed-tx-golden.json", cases);
console.log(`ton: ${cases.length} signed`);
