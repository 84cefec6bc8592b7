// Polkadot and Bittensor: signing payload and extrinsic by @polkadot/types, signatures by @polkadot/util-crypto. What
// Wallet Core can also make, which is Polkadot, must come out the same, or nothing is written.
import assert from "node:assert";
import { createHash } from "node:crypto";
import { TypeRegistry } from "@polkadot/types";
import { compactAddLength, hexToU8a, u8aConcat, u8aToHex } from "@polkadot/util";
import {
  blake2AsHex, cryptoWaitReady, ed25519PairFromSeed, ed25519Sign, encodeAddress, signatureVerify,
} from "@polkadot/util-crypto";
import { initWasm, TW } from "@trustwallet/wallet-core";
import Long from "long";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
await cryptoWaitReady();

const ALWAYS = ["CheckNonZeroSender", "CheckSpecVersion", "CheckTxVersion", "CheckGenesis", "CheckMortality", "CheckNonce", "CheckWeight"];
const METADATA_HASH_SINCE = 1_002_005;
const NETWORKS = {
  Polkadot: {
    call: [10, 3], prefix: 0, ticker: "DOT", decimals: 10,
    extensions: (version) => [...ALWAYS, "ChargeAssetTxPayment", ...(version >= METADATA_HASH_SINCE ? ["CheckMetadataHash"] : [])],
  },
  Bittensor: {
    call: [5, 0], prefix: 42, ticker: "TAO", decimals: 9,
    extensions: () => [...ALWAYS, "ChargeTransactionPayment", "CheckMetadataHash"],
  },
};

const hash = (text) => createHash("sha256").update(`countersign polkadot ${text}`).digest();
const number = (text, bits) => BigInt(`0x${hash(text).toString("hex")}`) % 2n ** BigInt(bits);
const without = (text) => text.replace(/^0x/, "");

// What @polkadot/types makes of a transfer.
function substrate(network, pair, to, fields) {
  const registry = new TypeRegistry();
  registry.register({ Address: "MultiAddress", LookupSource: "MultiAddress", ExtrinsicSignature: "MultiSignature" });
  registry.setSignedExtensions(network.extensions(fields.spec_version));
  const receiver = registry.createType("MultiAddress", { Id: to });
  const amount = registry.createType("Compact<u128>", fields.amount);
  const method = u8aToHex(u8aConcat(Uint8Array.from(network.call), receiver.toU8a(), amount.toU8a()));
  const era = registry.createType("ExtrinsicEra", { current: Number(fields.block), period: 64 });
  const values = {
    method, era, nonce: fields.nonce, tip: 0, assetId: undefined, mode: 0, metadataHash: null,
    specVersion: fields.spec_version, transactionVersion: fields.transaction_version,
    genesisHash: fields.genesis, blockHash: fields.recent, address: to, version: 4,
  };
  const payload = registry.createType("ExtrinsicPayload", values, { version: 4 });
  const image = payload.toU8a({ method: true });
  const signature = ed25519Sign(image, pair);
  assert(signatureVerify(image, signature, encodeAddress(pair.publicKey)).isValid);
  const part = registry.createType("ExtrinsicSignatureV4").addSignature(
    u8aToHex(pair.publicKey),
    u8aConcat(Uint8Array.of(0), signature),
    payload.toHex(),
  );
  const extrinsic = compactAddLength(u8aConcat(Uint8Array.of(0x84), part.toU8a(), hexToU8a(method)));
  return { image: without(u8aToHex(image)), raw: without(u8aToHex(extrinsic)), id: blake2AsHex(extrinsic, 256) };
}

// What Wallet Core signs for the same transfer on Asset Hub.
function walletCore(seed, to, fields) {
  const { Proto } = TW.Polkadot;
  const digits = fields.amount.toString(16);
  const input = Proto.SigningInput.create({
    genesisHash: hexToU8a(fields.genesis),
    blockHash: hexToU8a(fields.recent),
    nonce: Long.fromString(fields.nonce.toString()),
    specVersion: fields.spec_version,
    transactionVersion: fields.transaction_version,
    network: 0,
    era: { blockNumber: Long.fromString(fields.block.toString()), period: Long.fromNumber(64) },
    privateKey: seed,
    balanceCall: {
      assetTransfer: {
        callIndices: { custom: { moduleIndex: 10, methodIndex: 3 } },
        toAddress: encodeAddress(to, 0),
        value: Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex"),
        assetId: 0,
        feeAssetId: 0,
      },
    },
  });
  const output = core.AnySigner.sign(Proto.SigningInput.encode(input).finish(), core.CoinType.polkadot);
  const signed = Proto.SigningOutput.decode(output);
  assert.equal(signed.errorMessage, "");
  return Buffer.from(signed.encoded).toString("hex");
}

const cases = [];

function add(chain, name, changes = {}) {
  const title = `${chain.toLowerCase()}_${name}`;
  const network = NETWORKS[chain];
  const { prefix = network.prefix, hexPrefix = "0x", ...rest } = changes;
  const fields = {
    amount: 10n ** 10n,
    nonce: 0n,
    block: 1_000_000n + number(`${title} block`, 24),
    spec_version: chain === "Polkadot" ? 1_005_000 + Number(number(`${title} spec`, 16)) : 260,
    transaction_version: 15,
    genesis: u8aToHex(hash(`${chain} genesis`)),
    recent: u8aToHex(hash(`${title} recent`)),
    ...rest,
  };
  const seed = hash(`${title} key`);
  const pair = ed25519PairFromSeed(seed);
  const to = ed25519PairFromSeed(hash(`${title} receiver`)).publicKey;
  const expected = substrate(network, pair, to, fields);
  // Wallet Core's blocks and nonces end at 2^63, its compact numbers at 2^128.
  if (chain === "Polkadot") assert.equal(walletCore(seed, to, fields), expected.raw, title);
  const payload = {
    coin: {
      chain, ticker: network.ticker, address: encodeAddress(pair.publicKey, prefix), decimals: network.decimals,
      is_native_token: true, hex_public_key: Buffer.from(pair.publicKey).toString("hex"),
    },
    to_address: encodeAddress(to, prefix),
    to_amount: fields.amount.toString(),
    polkadot_specific: {
      recent_block_hash: hexPrefix + without(fields.recent),
      nonce: fields.nonce.toString(),
      current_block_number: fields.block.toString(),
      spec_version: fields.spec_version,
      transaction_version: fields.transaction_version,
      genesis_hash: hexPrefix + without(fields.genesis),
    },
  };
  cases.push({
    name: title,
    private_key_hex: seed.toString("hex"),
    curve: "ed25519",
    keysign_payload_base64: encode(payload),
    expected: { imageHashes: [expected.image], rawTransaction: expected.raw, transactionHash: expected.id },
  });
}

// Every border between two lengths of a compact number, for amounts and nonces, and every border of an era.
const AMOUNTS = [1n, 63n, 64n, 16_383n, 16_384n, 2n ** 30n - 1n, 2n ** 30n, 2n ** 32n, 2n ** 40n - 1n, 2n ** 64n, 2n ** 128n - 1n];
const NONCES = [1n, 63n, 64n, 16_384n, 2n ** 30n, 2n ** 32n - 1n];
const BLOCKS = [0n, 1n, 63n, 64n, 65n, 2n ** 32n - 1n];
for (const chain of Object.keys(NETWORKS)) {
  for (const amount of AMOUNTS) add(chain, `amount_${amount}`, { amount });
  for (const nonce of NONCES) add(chain, `nonce_${nonce}`, { nonce });
  for (const block of BLOCKS) add(chain, `block_${block}`, { block });
  add(chain, "hashes_without_0x", { hexPrefix: "" });
}
add("Polkadot", "before_the_metadata_hash", { spec_version: METADATA_HASH_SINCE - 1, transaction_version: 26 });
add("Polkadot", "since_the_metadata_hash", { spec_version: METADATA_HASH_SINCE, transaction_version: 26 });
add("Polkadot", "old_runtime", { spec_version: 900, transaction_version: 6 });
add("Polkadot", "newest_runtime", { spec_version: 2 ** 32 - 1, transaction_version: 2 ** 32 - 1 });
add("Bittensor", "spelled_as_on_polkadot", { prefix: 0 });
add("Bittensor", "new_runtime", { spec_version: 2_000_000 });

write("polkadot", "signed-tx-golden.json", cases);
console.log(`polkadot: ${cases.length} cases`);
