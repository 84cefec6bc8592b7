// The XRP ledger: payments, trust lines and whole transactions as wallet-core signs them, checked with xrpl.
// Random values are seeded, so that running again changes nothing.
import { initWasm, TW } from "@trustwallet/wallet-core";
import { createHash } from "node:crypto";
import { decode, encode as encodeBinary, encodeForSigning, hashes, verifySignature } from "xrpl";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
const hex = (bytes) => Buffer.from(bytes).toString("hex");

let counter = 0;
const random = () => createHash("sha256").update(`ripple ${counter++}`).digest();
const number = (below) => Number(random().readBigUInt64BE() % BigInt(below));

function signer() {
  const secret = random();
  const key = core.PrivateKey.createWithData(secret).getPublicKeySecp256k1(true);
  const address = core.AnyAddress.createWithPublicKey(key, core.CoinType.xrp).description();
  return { secret, key: key.data(), address };
}
const address = () => signer().address;
const sha512Half = (bytes) => createHash("sha512").update(bytes).digest().subarray(0, 32);

// wallet-core signs; xrpl must read the same, find the signature good and give the same id.
function signed(from, input) {
  const message = TW.Ripple.Proto.SigningInput.encode(
    TW.Ripple.Proto.SigningInput.create({ account: from.address, privateKey: from.secret, publicKey: from.key, ...input })).finish();
  const images = TW.TxCompiler.Proto.PreSigningOutput.decode(core.TransactionCompiler.preImageHashes(core.CoinType.xrp, message));
  const output = TW.Ripple.Proto.SigningOutput.decode(core.AnySigner.sign(message, core.CoinType.xrp));
  if (output.errorMessage || images.errorMessage) throw new Error(output.errorMessage || images.errorMessage);
  const blob = hex(output.encoded).toUpperCase();
  const json = decode(blob);
  if (encodeBinary(json) !== blob) throw new Error("xrpl writes it otherwise");
  if (!verifySignature(blob)) throw new Error("xrpl does not accept the signature");
  const image = hex(images.dataHash);
  const { TxnSignature, ...unsigned } = json;
  if (hex(sha512Half(Buffer.from(encodeForSigning(unsigned), "hex"))) !== image) throw new Error("xrpl signs otherwise");
  return { image, blob: blob.toLowerCase(), id: hashes.hashSignedTx(blob), json };
}

const golden = [];
function add(name, from, payload, made) {
  golden.push({
    name: `ripple: ${name}`, private_key_hex: hex(from.secret), curve: "secp256k1",
    keysign_payload_base64: encode({
      vault_local_party_id: "oracle", lib_type: "DKLS", ...payload,
      coin: {
        chain: "Ripple", ticker: "XRP", address: from.address, decimals: 6, is_native_token: true,
        hex_public_key: hex(from.key), ...payload.coin,
      },
    }),
    expected: { imageHashes: [made.image], rawTransaction: made.blob, transactionHash: made.id },
    oracle: made.oracle ?? ["wallet-core", "xrpl"],
  });
}

const numbers = () => ({ fee: String(10 + number(1e6)), sequence: 1 + number(4e9), lastLedgerSequence: 1 + number(4e9) });
const specific = ({ fee, sequence, lastLedgerSequence }, more = {}) => ({
  sequence: String(sequence), gas: fee, last_ledger_sequence: String(lastLedgerSequence), ...more,
});

// ---- payments --------------------------------------------------------------------------------------------------

function payment(name, { amount = String(1 + number(1e12)), to = address(), tag, legacy, memo, from = signer(), swap = {} } = {}) {
  const common = numbers();
  const stated = tag ?? legacy;
  const input = memo === undefined
    ? { ...common, opPayment: { destination: to, amount, ...(stated ? { destinationTag: String(stated) } : {}) } }
    : { rawJson: JSON.stringify({
        TransactionType: "Payment", Account: from.address, Destination: to, Amount: amount, Fee: common.fee,
        Sequence: common.sequence, LastLedgerSequence: common.lastLedgerSequence,
        ...(stated ? { DestinationTag: stated } : {}),
        Memos: [{ Memo: { MemoData: hex(Buffer.from(memo, "utf8")).toUpperCase() } }],
      }) };
  const text = memo ?? (legacy === undefined ? undefined : String(legacy));
  add(name, from, {
    to_address: to, to_amount: amount, ripple_specific: specific(common, tag === undefined ? {} : { destination_tag: tag }),
    ...(text === undefined ? {} : { memo: text }), ...swap,
  }, signed(from, input));
}

payment("payment");
payment("one drop", { amount: "1" });
payment("all XRP there is", { amount: "100000000000000000" });
payment("more than 53 bits", { amount: "9007199254740993" });
payment("tag in its field", { tag: 12345 });
payment("the largest tag", { tag: 4294967295 });
payment("tag in the memo", { legacy: 67890 });
payment("the largest tag in the memo", { legacy: 4294967295 });
payment("memo", { memo: "hello" });
payment("memo that is almost a tag", { memo: "00123" });
payment("memo that is too large for a tag", { memo: "4294967296" });
payment("memo with other letters", { memo: "Grüße, 世界 🚀" });
payment("memo of 192 bytes", { memo: "m".repeat(192) });
payment("memo of 193 bytes", { memo: "m".repeat(193) });
payment("memo of 900 bytes", { memo: "m".repeat(900) });
payment("memo beside a tag", { tag: 7, memo: "invoice 42" });
payment("memo that is a number beside another tag", { tag: 7, memo: "8" });
{
  const [to, amount] = [address(), "25000000"];
  const swap = { thorchain_swap_payload: {
    from_coin: { chain: "Ripple", ticker: "XRP" }, to_coin: { chain: "Bitcoin", ticker: "BTC" }, vault_address: to,
    from_amount: amount, to_amount_decimal: "0.0005", to_amount_limit: "49000", expiration_time: "1790000000",
  } };
  payment("THORChain swap", { to, amount, memo: "=:BTC.BTC:bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh:49000:vi:50", swap });
}
for (let round = 1; round <= 6; round++) payment(`random ${round}`, round % 2 ? { tag: 1 + number(4e9) } : { memo: hex(random()) });

// ---- trust lines -----------------------------------------------------------------------------------------------

const RLUSD = "524C555344000000000000000000000000000000";
function trust(name, { currency, written = currency, value, amount, decimals = 15, kind }) {
  const [from, issuer, common] = [signer(), address(), numbers()];
  const made = signed(from, { ...common, opTrustSet: { limitAmount: { currency, issuer, value } } });
  add(name, from, {
    coin: { ticker: "TOKEN", is_native_token: false, decimals, contract_address: `${written}.${issuer}` },
    to_address: issuer, to_amount: amount, ripple_specific: specific(common, kind ? { transaction_type: kind } : {}),
  }, made);
}
trust("trust line", { currency: "USD", value: "100.5", amount: "100500000000000000" });
trust("trust line by type", { currency: "EUR", value: "1", amount: "1000000000000000", kind: 10 });
trust("trust line with a long currency", { currency: RLUSD, value: "1000000000", amount: "1000000000000000000000000" });
trust("trust line with a name", { currency: RLUSD, written: "RLUSD", value: "1.5", amount: "1500000000000000" });
trust("trust line in lower case hex", { currency: RLUSD, written: RLUSD.toLowerCase(), value: "2", amount: "2000000000000000" });
trust("trust line of nothing", { currency: "USD", value: "0", amount: "0" });
trust("the smallest trust line", { currency: "USD", value: "0.000000000000001", amount: "1" });
trust("16 digits", { currency: "USD", value: "1.234567890123456", amount: "1234567890123456" });
trust("another number of decimals", { currency: "USD", value: "12.34", amount: "1234", decimals: 2 });
trust("no decimals", { currency: "USD", value: "77", amount: "77", decimals: 0 });
trust("a sign in the currency", { currency: "$A!", value: "5", amount: "5000000000000000" });

// ---- sign_ripple -----------------------------------------------------------------------------------------------

// wallet-core puts the payload's fee, sequence and last ledger over those of the JSON unless they are zero.
const none = { fee: "0", sequence: 0, lastLedgerSequence: 0 };

// What wallet-core does not know (paths, pools) is written by xrpl alone.
function byXrpl(from, json, common) {
  const unsigned = {
    ...json, ...(common.fee === "0" ? {} : { Fee: common.fee }), ...(common.sequence ? { Sequence: common.sequence } : {}),
    ...(common.lastLedgerSequence ? { LastLedgerSequence: common.lastLedgerSequence } : {}),
    SigningPubKey: hex(from.key).toUpperCase(),
  };
  const image = sha512Half(Buffer.from(encodeForSigning(unsigned), "hex"));
  const TxnSignature = hex(core.PrivateKey.createWithData(from.secret).signAsDER(image)).toUpperCase();
  const blob = encodeBinary({ ...unsigned, TxnSignature });
  if (!verifySignature(blob)) throw new Error("xrpl does not accept the signature");
  return { image: hex(image), blob: blob.toLowerCase(), id: hashes.hashSignedTx(blob), oracle: ["xrpl"] };
}

const alone = [];
function given(name, compose, { from = signer(), common = none, ...payload } = {}) {
  const json = { Account: from.address, ...compose };
  const rawJson = JSON.stringify(json);
  let made;
  try {
    // wallet-core writes small letters of a currency as capitals, which is another currency.
    if (/"currency":"[^"]{0,2}[a-z]/.test(rawJson)) throw new Error("not supported");
    made = signed(from, { ...common, rawJson });
    const { blob } = byXrpl(from, json, common);
    if (blob !== made.blob) throw new Error("xrpl writes it otherwise");
  } catch (error) {
    if (!/nsupported|not supported|Unexpected field|cannot be parsed/.test(error.message)) throw error;
    alone.push(name);
    made = byXrpl(from, json, common);
  }
  add(name, from, { to_address: "", to_amount: "0", ripple_specific: specific(common), sign_ripple: { raw_json: rawJson }, ...payload }, made);
}
const set = () => ({ Fee: String(12 + number(100)), Sequence: 1 + number(4e9), LastLedgerSequence: 1 + number(4e9) });
const issuer = address();
const issued = (value, currency = "USD") => ({ currency, issuer, value });
const hash = () => hex(random()).toUpperCase();
{
  const to = address();
  given("given payment", { TransactionType: "Payment", Destination: to, Amount: "5000", ...set() }, { to_address: to, to_amount: "5000" });
  given("given payment without fee, sequence and end", { TransactionType: "Payment", Destination: to, Amount: "5000" }, { to_address: to, to_amount: "5000", common: numbers() });
  given("given payment with two of each", { TransactionType: "Payment", Destination: to, Amount: "5000", ...set() }, { to_address: to, to_amount: "5000", common: numbers() });
  const token = { ticker: "USD", is_native_token: false, decimals: 15, contract_address: `USD.${issuer}` };
  given("given token payment", { TransactionType: "Payment", Destination: to, Amount: issued("12.5"), SendMax: issued("12.6"), ...set() },
    { to_address: to, to_amount: "12500000000000000", coin: token });
  given("given token payment with an exponent", { TransactionType: "Payment", Destination: to, Amount: issued("125e-1"), ...set() },
    { to_address: to, to_amount: "12500000000000000", coin: token });
  given("given partial payment that cannot be partial",
    { TransactionType: "Payment", Destination: to, Amount: "5000", DeliverMin: "5000", SendMax: issued("1"), Flags: 131072, ...set() },
    { to_address: to, to_amount: "5000" });
  given("given payment with paths", {
    TransactionType: "Payment", Destination: to, Amount: issued("3"), SendMax: "9000000", InvoiceID: hash(), SourceTag: 9, DestinationTag: 0,
    Paths: [[{ currency: "EUR", issuer }, { account: issuer }], [{ currency: "XRP" }, { currency: "USD", issuer }]], ...set(),
  });
}
given("offer", { TransactionType: "OfferCreate", TakerGets: "5000000", TakerPays: issued("1.5"), Expiration: 800000000, OfferSequence: 7, Flags: 2147483648, ...set() });
given("offer of a token", { TransactionType: "OfferCreate", TakerGets: issued("1e-10", RLUSD), TakerPays: issued("9999999999999999e40"), ...set() });
given("cancel an offer", { TransactionType: "OfferCancel", OfferSequence: 6, ...set() });
given("trust set with quality", { TransactionType: "TrustSet", LimitAmount: issued("10"), QualityIn: 1, QualityOut: 2, Flags: 131072, ...set() });
given("small letters in a currency", { TransactionType: "TrustSet", LimitAmount: issued("10", "uSd"), ...set() });
given("escrow", { TransactionType: "EscrowCreate", Destination: address(), Amount: "10000", CancelAfter: 833155200, FinishAfter: 833068800, Condition: "A0258020E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855810100", DestinationTag: 5, ...set() });
given("finish an escrow", { TransactionType: "EscrowFinish", Owner: address(), OfferSequence: 3, Fulfillment: "A0028000", Condition: "A0258020E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855810100", ...set() });
given("cancel an escrow", { TransactionType: "EscrowCancel", Owner: address(), OfferSequence: 3, ...set() });
given("account settings", { TransactionType: "AccountSet", Domain: hex(Buffer.from("example.com")).toUpperCase(), SetFlag: 5, ClearFlag: 6, TransferRate: 1200000000, TickSize: 5, EmailHash: hash().slice(0, 32), MessageKey: "03AB40A0490F9B7ED8DF29D246BF2D6269820A0EE7742ACDD457BEA7C7D0931EDB", ...set() });
given("regular key", { TransactionType: "SetRegularKey", RegularKey: address(), ...set() });
given("signer list", { TransactionType: "SignerListSet", SignerQuorum: 3, SignerEntries: [1, 2].map((SignerWeight) => ({ SignerEntry: { Account: address(), SignerWeight } })), ...set() });
given("tickets", { TransactionType: "TicketCreate", TicketCount: 10, ...set() });
given("with a ticket", { TransactionType: "AccountSet", TicketSequence: 77, ...set(), Sequence: 0 });
given("check", { TransactionType: "CheckCreate", Destination: address(), SendMax: "100000000", Expiration: 770113521, InvoiceID: hash(), ...set() });
given("cash a check", { TransactionType: "CheckCash", CheckID: hash(), DeliverMin: "100", ...set() });
given("channel", { TransactionType: "PaymentChannelCreate", Destination: address(), Amount: "10000", SettleDelay: 86400, PublicKey: "32D2471DB72B27E3310F355BB33E339BF26F8392D5A93D3BC0FC3B566612DA0F0A", CancelAfter: 533171558, ...set() });
given("preauthorise", { TransactionType: "DepositPreauth", Authorize: address(), ...set() });
given("close the account", { TransactionType: "AccountDelete", Destination: address(), DestinationTag: 13, ...set() });
given("mint", { TransactionType: "NFTokenMint", NFTokenTaxon: 0, TransferFee: 314, URI: hex(Buffer.from("ipfs://abc")).toUpperCase(), Flags: 8, Issuer: address(), ...set() });
given("offer a token of one", { TransactionType: "NFTokenCreateOffer", NFTokenID: hash(), Amount: "1000000", Owner: address(), ...set() });
given("cancel offers of tokens", { TransactionType: "NFTokenCancelOffer", NFTokenOffers: [hash(), hash()], ...set() });
given("accept offers", { TransactionType: "NFTokenAcceptOffer", NFTokenBuyOffer: hash(), NFTokenSellOffer: hash(), NFTokenBrokerFee: "60000", ...set() });
given("claw back", { TransactionType: "Clawback", Amount: issued("314.159"), ...set() });
given("several memos", { TransactionType: "AccountSet", Memos: [{ Memo: { MemoType: "687474703A2F2F", MemoData: "72656E74", MemoFormat: "74657874" } }, { Memo: { MemoData: "FF00" } }], ...set() });
given("pool", { TransactionType: "AMMCreate", Amount: issued("25"), Amount2: "250000000", TradingFee: 500, ...set() });
given("into a pool", { TransactionType: "AMMDeposit", Asset: { currency: "XRP" }, Asset2: { currency: "USD", issuer }, Amount: "1000", EPrice: "25", Flags: 2097152, ...set() });
given("out of a pool", { TransactionType: "AMMWithdraw", Asset: { currency: RLUSD, issuer }, Asset2: { currency: "XRP" }, LPTokenIn: issued("5", "03930D02208264E2E40EC1B0C09E4DB96EE197B1"), Flags: 65536, ...set() });
given("bid", { TransactionType: "AMMBid", Asset: { currency: "XRP" }, Asset2: { currency: "USD", issuer }, BidMin: issued("5"), BidMax: issued("6"), AuthAccounts: [{ AuthAccount: { Account: address() } }], ...set() });
given("an amount with a plus", { TransactionType: "TrustSet", LimitAmount: issued("+12.5"), ...set() });
given("an amount with nothing before the point", { TransactionType: "TrustSet", LimitAmount: issued(".5"), ...set() });
given("an amount with nothing behind the point", { TransactionType: "TrustSet", LimitAmount: issued("5."), ...set() });
given("a tag as text", { TransactionType: "AccountDelete", Destination: address(), DestinationTag: "4294967295", ...set() });

write("ripple", "signed-tx-golden.json", golden);
console.log(`ripple: ${golden.length} signed, of these by xrpl alone: ${alone.join(", ")}`);
