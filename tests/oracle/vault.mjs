// Seed phrases and their accounts on every chain: Wallet Core's HD wallet, as other wallets use it. Cardano's keys by
// Emurgo's serialization library, with which Wallet Core must agree where there is no passphrase (it knows none there).
// And `.vult` files, by protobufjs and node's own ciphers.
import assert from "node:assert";
import { createCipheriv, createHash, pbkdf2Sync } from "node:crypto";
import { fileURLToPath } from "node:url";
import cardano from "@emurgo/cardano-serialization-lib-nodejs";
import { HDKey } from "@scure/bip32";
import { initWasm } from "@trustwallet/wallet-core";
import protobuf from "protobufjs";
import { write } from "./payload.mjs";

const core = await initWasm();
const { AnyAddress, CoinType, Curve, HDWallet, PrivateKey } = core;

const EVM = {
  Ethereum: "ethereum", Arbitrum: "arbitrum", Avalanche: "avalancheCChain", Base: "base", Blast: "blast", BSC: "smartChain",
  CronosChain: "cronosChain", Hyperliquid: "ethereum", Mantle: "mantle", Optimism: "optimism", Polygon: "polygon",
  Robinhood: "ethereum", Sei: "ethereum", Zksync: "zksync",
};
// Wallet Core's name of each chain; where another wallet spells its own address differently, how.
const CHAINS = [
  ...Object.entries(EVM).map(([chain, name]) => [chain, name]),
  ["Bitcoin", "bitcoin"], ["Litecoin", "litecoin"], ["Dogecoin", "dogecoin"], ["Dash", "dash"],
  ["Bitcoin-Cash", "bitcoinCash", (address) => address.replace(/^bitcoincash:/, "")], ["Zcash", "zcash"],
  ["THORChain", "thorchain"],
  ["MayaChain", "thorchain", (_, key, coin) => AnyAddress.createBech32WithPublicKey(key, coin, "maya").description()],
  ["Cosmos", "cosmos"], ["Osmosis", "osmosis"], ["Dydx", "dydx"], ["Kujira", "kujira"], ["Terra", "terraV2"],
  ["TerraClassic", "terra"], ["Noble", "noble"], ["Akash", "akash"], ["Solana", "solana"], ["Sui", "sui"],
  ["Polkadot", "polkadot"],
  ["Bittensor", "polkadot", (_, key, coin) => AnyAddress.createSS58WithPublicKey(key, coin, 42).description()],
  ["Ton", "ton"], ["Ripple", "xrp"], ["Tron", "tron"], ["Cardano", "cardano"],
];

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const hash = (text) => createHash("sha256").update(`countersign ${text}`).digest();
const HARDENED = 0x80000000;

// The payment key of CIP-1852, and its enterprise address: Wallet Core knows the base address only.
function cardanoAccount(wallet, passphrase) {
  const root = cardano.Bip32PrivateKey.from_bip39_entropy(Buffer.from(wallet.entropy()), Buffer.from(passphrase));
  const path = [HARDENED + 1852, HARDENED + 1815, HARDENED, 0, 0];
  const key = path.reduce((key, index) => key.derive(index), root).to_raw_key();
  const publicKey = key.to_public();
  if (passphrase === "") {
    const known = wallet.getKeyForCoin(CoinType.cardano).getPublicKeyEd25519Cardano().data();
    assert.equal(hex(publicKey.as_bytes()), hex(known.slice(0, 32)));
  }
  const payment = cardano.Credential.from_keyhash(publicKey.hash());
  const address = cardano.EnterpriseAddress.new(1, payment).to_address().to_bech32();
  const signature = hex(key.sign(hash("message")).to_bytes());
  return { chain: "Cardano", note: "enterprise address of the payment key; Emurgo's library", public_key_hex: hex(publicKey.as_bytes()), address, signature };
}

function account(wallet, passphrase, [chain, name, spell = (address) => address]) {
  if (chain === "Cardano") return cardanoAccount(wallet, passphrase);
  const coin = CoinType[name];
  assert(coin, name);
  const secret = wallet.getKeyForCoin(coin);
  const curve = core.CoinTypeExt.curve(coin);
  const key = curve.value === Curve.ed25519.value ? secret.getPublicKeyEd25519() : secret.getPublicKeySecp256k1(true);
  // RFC 6979 and RFC 8032 leave nothing open: every signer makes the same signature.
  const signature = hex(secret.sign(hash("message"), curve).slice(0, 64));
  return { chain, public_key_hex: hex(key.data()), address: spell(wallet.getAddressForCoin(coin), key, coin), signature };
}

function phrase(name, words, passphrase) {
  const wallet = HDWallet.createWithMnemonic(words, passphrase);
  const root = HDKey.fromMasterSeed(wallet.seed());
  const ecdsa = wallet.getMasterKey(Curve.secp256k1).getPublicKeySecp256k1(true).data();
  assert.equal(hex(ecdsa), hex(root.publicKey));
  const eddsa = wallet.getMasterKey(Curve.ed25519).getPublicKeyEd25519().data();
  return {
    name, words, passphrase, message: hex(hash("message")), ecdsa: hex(ecdsa), eddsa: hex(eddsa), chain_code: hex(root.chainCode),
    chains: CHAINS.map((row) => account(wallet, passphrase, row)),
  };
}

const made = (name, bytes) => HDWallet.createWithEntropy(hash(name).subarray(0, bytes), "").mnemonic();
write("vault", "phrases.json", [
  phrase("12 words", made("twelve", 16), ""),
  phrase("24 words", made("twenty-four", 32), ""),
  phrase("24 words with passphrase", made("twenty-four", 32), "correct horse battery staple"),
  phrase("15 words with passphrase", made("fifteen", 20), "TREZOR"),
  phrase("a public example", `${"abandon ".repeat(11)}about`, ""),
]);

const root = new protobuf.Root();
root.loadSync(fileURLToPath(new URL("../../proto/vault.proto", import.meta.url)), { keepCase: true });
const encode = (type, fields) => {
  const message = root.lookupType(`vultisig.vault.v1.${type}`);
  return Buffer.from(message.encode(message.fromObject(fields)).finish());
};

function gcm(key, nonce, plaintext) {
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}
const ciphers = {
  marked: (name, password, plaintext) => {
    const salt = hash(`${name} salt`).subarray(0, 16);
    const key = pbkdf2Sync(password, salt, 600_000, 32, "sha256");
    return Buffer.concat([Buffer.from("VLT\x02", "latin1"), salt, gcm(key, hash(`${name} nonce`).subarray(0, 12), plaintext)]);
  },
  legacy: (name, password, plaintext) =>
    gcm(createHash("sha256").update(password).digest(), hash(`${name} nonce`).subarray(0, 12), plaintext),
};

function file(name, { cipher, password = "", chains = [] }) {
  const publicKey = (text) => hex(PrivateKey.createWithData(hash(`${name} ${text}`)).getPublicKeySecp256k1(true).data());
  const eddsaKey = (text) => hex(PrivateKey.createWithData(hash(`${name} ${text}`)).getPublicKeyEd25519().data());
  const keys = { ecdsa: publicKey("ecdsa"), eddsa: eddsaKey("eddsa"), chain_code: hex(hash(`${name} chain code`)) };
  const listed = chains.map((chain) => {
    const isEddsa = ["Solana", "Sui", "Ton"].includes(chain);
    return { chain, public_key: isEddsa ? eddsaKey(chain) : publicKey(chain), is_eddsa: isEddsa };
  });
  const share = (key) => ({ public_key: key, keyshare: hash(`${name} share ${key}`).toString("base64") });
  const vault = encode("Vault", {
    name, public_key_ecdsa: keys.ecdsa, public_key_eddsa: keys.eddsa, hex_chain_code: keys.chain_code, signers: ["phone", "Server-1"],
    created_at: { seconds: 1_700_000_000, nanos: 5 }, key_shares: [keys.ecdsa, keys.eddsa].map(share), local_party_id: "phone",
    lib_type: listed.length > 0 ? 2 : 1, chain_public_keys: listed,
  });
  const inner = cipher ? ciphers[cipher](name, password, vault) : vault;
  const container = encode("VaultContainer", { version: 1, vault: inner.toString("base64"), is_encrypted: cipher !== undefined });
  const known = listed.map(({ chain, public_key }) => ({ chain, public_key_hex: public_key }));
  return { name, password, ...keys, chains: known, text: container.toString("base64") };
}

write("vault", "vult.json", [
  file("plain", {}),
  file("marked", { cipher: "marked", password: "correct horse" }),
  file("legacy", { cipher: "legacy", password: "пароль" }),
  file("of a phrase", { cipher: "marked", password: "p", chains: ["Bitcoin", "Ethereum", "Solana", "Ton", "Bitcoin-Cash"] }),
]);
