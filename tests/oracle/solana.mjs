// Solana: wallet-core builds the transfers of payloads, @solana/web3.js and @solana/spl-token what others would build.
import wallet from "@trustwallet/wallet-core";
import * as web3 from "@solana/web3.js";
import * as spl from "@solana/spl-token";
import { encode, write } from "./payload.mjs";
import { address, associated, base64, blockhash, bs58, coinOf, hex, keypair, pyusd, random, secret, usdc } from "./solana/given.mjs";
import { compiled, feeOf, key, memoProgram, send, shapes } from "./solana/shapes.mjs";

const { CoinType, TransactionCompiler, TransactionDecoder, AnySigner, HexCoding, AnyAddress, PublicKey: WcKey, PublicKeyType } =
  await wallet.initWasm();
const { TW } = wallet;
const Proto = TW.Solana.Proto;
const Long = TW.Solana.Proto.Transfer.create({}).value.constructor;

const FLOOR = 1_000_000n;
const payloads = [];
const signed = [];

// ---- payloads that wallet-core builds --------------------------------------------------------------------------

function walletCoreInput({ pair, to, amount, memo, fee, limit, token, fromAccount, toAccount, hash }) {
  const price = BigInt(fee || "0") > FLOOR ? fee : FLOOR.toString();
  const input = {
    v0Msg: true,
    recentBlockhash: hash,
    sender: pair.publicKey.toBase58(),
    priorityFeePrice: { price: Long.fromString(price, true) },
    priorityFeeLimit: { limit: Number(limit ?? 100_000) },
    txEncoding: Proto.Encoding.Base64,
  };
  const value = Long.fromString(amount, true);
  if (!token) return { ...input, transferTransaction: { recipient: to, value, memo: memo ?? "" } };
  const shared = {
    tokenMintAddress: token.mint,
    senderTokenAddress: fromAccount,
    amount: value,
    decimals: token.decimals,
    memo: memo ?? "",
    tokenProgramId: token.token2022 ? Proto.TokenProgramId.Token2022Program : Proto.TokenProgramId.TokenProgram,
  };
  if (toAccount) return { ...input, tokenTransferTransaction: { ...shared, recipientTokenAddress: toAccount } };
  const program = token.token2022 ? spl.TOKEN_2022_PROGRAM_ID : spl.TOKEN_PROGRAM_ID;
  const created = spl.getAssociatedTokenAddressSync(new web3.PublicKey(token.mint), new web3.PublicKey(to), true, program);
  const recipientTokenAddress = created.toBase58();
  return {
    ...input,
    createAndTransferTokenTransaction: { ...shared, recipientMainAddress: to, recipientTokenAddress },
  };
}

function payloadOf({ pair, to, amount, memo, fee, limit, token, fromAccount, toAccount, hash }) {
  const specific = { recent_block_hash: hash, priority_fee: fee ?? "" };
  if (fromAccount) specific.from_token_associated_address = fromAccount;
  if (toAccount) specific.to_token_associated_address = toAccount;
  if (token) specific.program_id = !!token.token2022;
  if (limit !== undefined) specific.compute_limit = limit;
  const fields = { coin: coinOf(pair, token), to_address: to, to_amount: amount, solana_specific: specific };
  if (memo !== undefined) fields.memo = memo;
  return fields;
}

function transfer(name, options) {
  const of = { pair: keypair(), to: address(), amount: "1000000", hash: blockhash(), ...options };
  if (of.token) of.fromAccount ??= associated(of.token, of.pair.publicKey);
  const input = walletCoreInput(of);
  const bytes = Proto.SigningInput.encode(Proto.SigningInput.create(input)).finish();
  const images = TransactionCompiler.preImageHashes(CoinType.solana, bytes);
  const image = Proto.PreSigningOutput.decode(images);
  if (image.error) throw new Error(`${name}: ${image.errorMessage}`);
  const payload = payloadOf(of);
  const keysign_payload_base64 = encode(payload);
  payloads.push({
    name,
    source: "wallet-core",
    chain: "Solana",
    keysign_payload_base64,
    expected_image_hashes: [hex(image.data)],
  });
  if (!options.signed) return;
  const output = Proto.SigningOutput.decode(
    AnySigner.sign(Proto.SigningInput.encode(Proto.SigningInput.create({ ...input, privateKey: secret(of.pair) })).finish(), CoinType.solana),
  );
  if (output.error) throw new Error(`${name}: ${output.errorMessage}`);
  const raw = Buffer.from(output.encoded, "base64");
  // wallet-core and web3.js must mean the same transaction.
  const read = web3.VersionedTransaction.deserialize(raw);
  if (base64(read.serialize()) !== output.encoded) throw new Error(`${name}: web3.js reads another transaction`);
  signed.push({
    name,
    private_key_hex: hex(secret(of.pair)),
    curve: "ed25519",
    keysign_payload: payload,
    keysign_payload_base64,
    expected: { imageHashes: [hex(image.data)], rawTransaction: output.encoded, transactionHash: bs58(raw.subarray(1, 65)) },
  });
}

transfer("SOL", { signed: true });
transfer("SOL: nothing", { amount: "0" });
transfer("SOL: one lamport", { amount: "1", fee: "0" });
transfer("SOL: everything that 64 bits hold", { amount: "18446744073709551615" });
for (const fee of ["1", "999999", "1000000", "1000001", "123456789"]) transfer(`SOL: priority fee ${fee}`, { fee });
for (const limit of ["1", "200000", "1400000", "4294967295"]) transfer(`SOL: compute limit ${limit}`, { limit });
transfer("SOL: empty memo", { memo: "" });
transfer("SOL: memo", { memo: "hello", signed: true });
transfer("SOL: memo beyond ASCII", { memo: "für dich 🦀", fee: "5000000", limit: "150000" });
transfer("SOL: memo of 127 bytes", { memo: "x".repeat(127) });
transfer("SOL: memo of 128 bytes, whose length takes two", { memo: "y".repeat(128) });
transfer("SOL: memo of 700 bytes", { memo: "z".repeat(700), signed: true });
const self = keypair();
transfer("SOL: to oneself", { pair: self, to: self.publicKey.toBase58() });
const [derived] = web3.PublicKey.findProgramAddressSync([random(8)], new web3.PublicKey(address()));
transfer("SOL: to an address without a key", { to: derived.toBase58() });
for (const [name, token] of [["SPL", usdc], ["Token-2022", pyusd]]) {
  const there = () => {
    const to = address();
    return { token, to, toAccount: associated(token, to) };
  };
  transfer(`${name}: to an account that is there`, { ...there(), signed: true });
  transfer(`${name}: to an account that is there, with memo`, { ...there(), memo: "invoice 7", fee: "2500000", signed: true });
  transfer(`${name}: everything that 64 bits hold`, { ...there(), amount: "18446744073709551615", limit: "80000" });
  transfer(`${name}: makes the account`, { token, signed: true });
  transfer(`${name}: makes the account, with memo`, { token, memo: "first", fee: "3000000", limit: "300000", signed: true });
  transfer(`${name}: makes the account of an address without a key`, { token, to: derived.toBase58() });
  transfer(`${name}: from an account that is not the associated one`, { ...there(), fromAccount: address() });
  const pair = keypair();
  const to = pair.publicKey.toBase58();
  transfer(`${name}: makes the own account`, { pair, to, token, fromAccount: address() });
}
for (const decimals of [0, 9, 255]) transfer(`SPL: ${decimals} decimals`, { token: { mint: address(), decimals } });

// ---- transactions that others build ----------------------------------------------------------------------------

// Raw transactions.
const valid = [];
function raw(name, { pair, made, tx }, others = []) {
  if (others.length > 0) tx.sign(others);
  const unsigned = tx.serialize();
  tx.sign([pair]);
  const bytes = tx.serialize();
  const decoded = {
    fee_payer: pair.publicKey.toBase58(),
    version: tx.version,
    recent_blockhash: tx.message.recentBlockhash,
    instructions: tx.message.compiledInstructions.length,
    value: String(made.value),
  };
  if (made.limit || !made.price) decoded.fee = feeOf(made, 1 + others.length).toString();
  if (made.limit) decoded.gas_limit = made.limit;
  valid.push({
    name,
    kind: "solana",
    chain: "Solana",
    signing_mode: "eddsa_ed25519",
    unsigned_tx_hex: "0x" + hex(unsigned),
    chain_context: { derive_path: "m/44'/501'/0'" },
    private_key_hex: hex(secret(pair)),
    from: pair.publicKey.toBase58(),
    expected: {
      message_hex: hex(tx.message.serialize()),
      signature_hex: hex(tx.signatures[tx.message.staticAccountKeys.findIndex((key) => key.equals(pair.publicKey))]),
      signed_tx_hex: "0x" + hex(bytes),
      transaction_hash: bs58(tx.signatures[0]),
      decoded,
    },
    oracle: ["@solana/web3.js"],
  });
}
for (const shape of Object.keys(shapes)) {
  for (const version of ["legacy", "v0"]) raw(`${version}: ${shape}`, compiled(shape, version));
}
raw("v0 with a lookup table: transfer", compiled("transfer", "looked up"));
raw("v0 with a lookup table: with priority", compiled("with priority", "looked up"));

// Another account is created and signs for it; its signature is there already.
for (const version of ["legacy", "v0"]) {
  const [pair, other] = [keypair(), keypair()];
  const lamports = 2_039_280;
  const instructions = [
    web3.SystemProgram.createAccount({
      fromPubkey: pair.publicKey,
      newAccountPubkey: other.publicKey,
      lamports,
      space: 165,
      programId: spl.TOKEN_PROGRAM_ID,
    }),
  ];
  const message = new web3.TransactionMessage({ payerKey: pair.publicKey, recentBlockhash: blockhash(), instructions });
  const tx = new web3.VersionedTransaction(version === "legacy" ? message.compileToLegacyMessage() : message.compileToV0Message());
  raw(`${version}: signed by another account first`, { pair, made: { value: lamports }, tx }, [other]);
}

// Refused.
const malformed = [];
function refused(name, expected_error, change, from) {
  const { pair, tx } = compiled("with priority", "v0");
  malformed.push({
    name,
    kind: "solana",
    chain: "Solana",
    signing_mode: "eddsa_ed25519",
    unsigned_tx_hex: "0x" + hex(change(Buffer.from(tx.serialize()), tx)),
    chain_context: { derive_path: "m/44'/501'/0'" },
    from: from ?? pair.publicKey.toBase58(),
    expect: "refuse",
    expected_error,
    oracle: ["by construction"],
  });
}
const set = (at, byte) => (bytes) => (bytes.writeUInt8(byte, at), bytes);
refused("a byte too many", "malformed", (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]));
refused("a byte too few", "malformed", (bytes) => bytes.subarray(0, -1));
refused("a length in two bytes that one holds", "malformed", (bytes) =>
  Buffer.concat([Buffer.from([0x81, 0x00]), bytes.subarray(1)]));
refused("two signatures for one signer", "malformed", (bytes) =>
  Buffer.concat([Buffer.from([2]), Buffer.alloc(64), bytes.subarray(1)]));
refused("no signature", "malformed", (bytes) => Buffer.concat([Buffer.from([0]), bytes.subarray(65)]));
refused("every signer only read", "malformed", set(67, 1));
refused("more accounts only read than there are", "malformed", set(68, 9));
refused("a version of the future", "unsupported_tx_type", set(65, 0x81));
refused("one account twice", "malformed", (bytes) => (bytes.copy(bytes, 70 + 32, 70, 70 + 32), bytes));
refused("somebody else pays", "not_owned", (bytes) => bytes, address());
refused("the message alone", "malformed", (bytes) => bytes.subarray(65));
refused("another's signature is missing", "unsupported_payload", (bytes) =>
  Buffer.concat([Buffer.from([2]), Buffer.alloc(128), Buffer.from([0x80, 2]), bytes.subarray(67)]));
refused("longer than a packet", "malformed", (_, tx) => {
  const payer = tx.message.staticAccountKeys[0];
  const instruction = new web3.TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.alloc(1100) });
  const message = new web3.TransactionMessage({ payerKey: payer, recentBlockhash: blockhash(), instructions: [instruction] });
  const body = message.compileToV0Message().serialize();
  return Buffer.concat([Buffer.from([1]), Buffer.alloc(64), body]);
});

// Swaps of aggregators, and what pages ask for.
const bare = (pair) => ({
  coin: coinOf(pair),
  to_address: pair.publicKey.toBase58(),
  to_amount: "1",
  solana_specific: { recent_block_hash: blockhash(), priority_fee: "0" },
});
function add(name, pair, payload, messages, transactions, source) {
  const keysign_payload_base64 = encode(payload);
  payloads.push({ name, source, chain: "Solana", keysign_payload_base64, expected_image_hashes: messages.map(hex) });
  if (transactions.length !== 1) return;
  const [tx] = transactions;
  tx.sign([pair]);
  signed.push({
    name,
    private_key_hex: hex(secret(pair)),
    curve: "ed25519",
    keysign_payload: payload,
    keysign_payload_base64,
    expected: {
      imageHashes: messages.map(hex),
      rawTransaction: base64(tx.serialize()),
      transactionHash: bs58(tx.signatures[0]),
    },
  });
}
for (const [shape, version] of [["with priority", "v0"], ["transfer", "legacy"], ["an unknown program", "looked up"]]) {
  const { pair, tx } = compiled(shape, version);
  const data = base64(tx.serialize());
  const payload = bare(pair);
  payload.oneinch_swap_payload = {
    from_coin: coinOf(pair),
    to_coin: coinOf(pair, usdc),
    from_amount: "1",
    quote: { dst_amount: "2", tx: { from: pair.publicKey.toBase58(), data } },
    provider: "jupiter",
  };
  const decoded = Proto.DecodingTransactionOutput.decode(TransactionDecoder.decode(CoinType.solana, Buffer.from(data, "base64")));
  tx.message.recentBlockhash = payload.solana_specific.recent_block_hash;
  const rawMessage = decoded.transaction;
  const part = rawMessage.legacy ?? rawMessage.v0;
  part.recentBlockhash = payload.solana_specific.recent_block_hash;
  const input = Proto.SigningInput.encode(Proto.SigningInput.create({ rawMessage })).finish();
  const image = Proto.PreSigningOutput.decode(TransactionCompiler.preImageHashes(CoinType.solana, input));
  // Two libraries, one message.
  if (hex(image.data) !== hex(tx.message.serialize())) throw new Error(`swap ${shape}: wallet-core and web3.js differ`);
  add(`swap: ${shape}, ${version}`, pair, payload, [image.data], [tx], "wallet-core, @solana/web3.js");
}
for (const [shape, version] of [["tokens with an account made", "v0"], ["durable nonce", "legacy"], ["wrapped and unwrapped", "looked up"]]) {
  const { pair, tx } = compiled(shape, version);
  const payload = { ...bare(pair), sign_solana: { raw_transactions: [base64(tx.serialize())] } };
  add(`page: ${shape}, ${version}`, pair, payload, [tx.message.serialize()], [tx], "@solana/web3.js");
}
{
  const pair = keypair();
  const message = (lamports) =>
    new web3.TransactionMessage({ payerKey: pair.publicKey, recentBlockhash: blockhash(), instructions: [send(pair, lamports)] });
  const transactions = [1, 2, 3].map((lamports) => new web3.VersionedTransaction(message(lamports).compileToV0Message()));
  const payload = { ...bare(pair), sign_solana: { raw_transactions: transactions.map((tx) => base64(tx.serialize())) } };
  add("page: three at once", pair, payload, transactions.map((tx) => tx.message.serialize()), transactions, "@solana/web3.js");
}
{
  // Another account pays and has signed; the account is the second signer.
  const [payer, pair] = [keypair(), keypair()];
  const instructions = [send(pair, 77)];
  const message = new web3.TransactionMessage({ payerKey: payer.publicKey, recentBlockhash: blockhash(), instructions });
  const tx = new web3.VersionedTransaction(message.compileToV0Message());
  tx.sign([payer]);
  const payload = { ...bare(pair), sign_solana: { raw_transactions: [base64(tx.serialize())] } };
  add("page: somebody else pays", pair, payload, [tx.message.serialize()], [tx], "@solana/web3.js");
}

// Addresses.
const vaults = [1, 2].map((number) => {
  const pair = keypair();
  const public_key_hex = hex(pair.publicKey.toBytes());
  const walletCoreKey = WcKey.createWithData(HexCoding.decode(public_key_hex), PublicKeyType.ed25519);
  const found = AnyAddress.createWithPublicKey(walletCoreKey, CoinType.solana).description();
  if (found !== pair.publicKey.toBase58()) throw new Error("wallet-core and web3.js spell an address differently");
  const row = { chain: "Solana", derive_path: "m/44'/501'/0'", scheme: "eddsa_ed25519", public_key_hex, address: found };
  const ecdsa = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
  return { name: `solana ${number}`, ecdsa, eddsa: public_key_hex, chain_code: hex(random(32)), chains: [row] };
});

write("solana", "keysign-payload-base64.json", payloads);
write("solana", "signed-tx-golden.json", signed);
write("solana", "unsigned-tx.json", { valid, malformed });
write("solana", "derived-addresses.json", vaults);
