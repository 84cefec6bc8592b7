// Vaults and their accounts on every chain: BIP-32 by @scure/bip32, addresses by Wallet Core, Cardano's by its own
// serialization library (Wallet Core knows its base address only).
import { createHash } from "node:crypto";
import { Address, Credential, EnterpriseAddress, PublicKey as CardanoKey } from "@emurgo/cardano-serialization-lib-nodejs";
import { HDKey } from "@scure/bip32";
import { initWasm } from "@trustwallet/wallet-core";
import { write } from "./payload.mjs";

const core = await initWasm();
const { AnyAddress, CoinType, PrivateKey, PublicKey, PublicKeyType } = core;

const ETHEREUM = "m/44'/60'/0'/0/0";
const EVM = ["Ethereum", "Arbitrum", "Avalanche", "Base", "Blast", "BSC", "CronosChain", "Hyperliquid", "Mantle",
  "Optimism", "Polygon", "Robinhood", "Sei", "Zksync"];

// A chain's name, its path, and Wallet Core's name of it.
const ECDSA = [
  ...EVM.map((chain) => [chain, ETHEREUM, "ethereum"]),
  ["Bitcoin", "m/84'/0'/0'/0/0", "bitcoin"],
  ["Bitcoin-Cash", "m/44'/145'/0'/0/0", "bitcoinCash"],
  ["Litecoin", "m/84'/2'/0'/0/0", "litecoin"],
  ["Dogecoin", "m/44'/3'/0'/0/0", "dogecoin"],
  ["Dash", "m/44'/5'/0'/0/0", "dash"],
  ["Zcash", "m/44'/133'/0'/0/0", "zcash"],
  ["THORChain", "m/44'/931'/0'/0/0", "thorchain"],
  ["MayaChain", "m/44'/931'/0'/0/0", "thorchain", (key, coin) => AnyAddress.createBech32WithPublicKey(key, coin, "maya")],
  ["Cosmos", "m/44'/118'/0'/0/0", "cosmos"],
  ["Osmosis", "m/44'/118'/0'/0/0", "osmosis"],
  ["Dydx", "m/44'/118'/0'/0/0", "dydx"],
  ["Kujira", "m/44'/118'/0'/0/0", "kujira"],
  ["Terra", "m/44'/330'/0'/0/0", "terraV2"],
  ["TerraClassic", "m/44'/330'/0'/0/0", "terra"],
  ["Noble", "m/44'/118'/0'/0/0", "noble"],
  ["Akash", "m/44'/118'/0'/0/0", "akash"],
  ["Ripple", "m/44'/144'/0'/0/0", "xrp"],
  ["Tron", "m/44'/195'/0'/0/0", "tron"],
];

const EDDSA = [
  ["Solana", "m/44'/501'/0'", "solana"],
  ["Sui", "m/44'/784'/0'/0'/0'", "sui"],
  ["Polkadot", "m/44'/354'/0'/0'/0'", "polkadot"],
  ["Bittensor", "m/44'/354'/0'/0'/0'", "polkadot", (key, coin) => AnyAddress.createSS58WithPublicKey(key, coin, 42)],
  ["Ton", "m/44'/607'/0'", "ton"],
  ["Cardano", "m/1852'/1815'/0'/0/0", undefined, cardano],
];

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const seed = (text) => createHash("sha256").update(`countersign ${text}`).digest();

function cardano(key) {
  const hash = CardanoKey.from_bytes(key.data()).hash();
  const address = EnterpriseAddress.new(1, Credential.from_keyhash(hash)).to_address();
  return { description: () => Address.from_bytes(address.to_bytes()).to_bech32() };
}

function entry([chain, path, name, make = AnyAddress.createWithPublicKey], key, scheme) {
  const address = make(name === "tron" || name === "ethereum" ? key.uncompressed() : key, CoinType[name]).description();
  // Vaults leave the prefix of Bitcoin Cash out.
  const spelled = address.replace(/^bitcoincash:/, "");
  return { chain, derive_path: path, scheme, public_key_hex: hex(key.data()), address: spelled };
}

function vault(name) {
  const ecdsa = PrivateKey.createWithData(seed(`${name} ecdsa`)).getPublicKeySecp256k1(true);
  const eddsa = PrivateKey.createWithData(seed(`${name} eddsa`)).getPublicKeyEd25519();
  const chainCode = seed(`${name} chain code`);
  const root = new HDKey({ publicKey: ecdsa.data(), chainCode });
  const child = (path) => {
    const { publicKey } = root.derive(path.replaceAll("'", ""));
    return PublicKey.createWithData(publicKey, PublicKeyType.secp256k1);
  };
  const chains = [
    ...ECDSA.map((row) => entry(row, child(row[1]), "ecdsa_secp256k1 (non-hardened BIP32)")),
    ...EDDSA.map((row) => entry(row, eddsa, "eddsa_ed25519 (root key, no derivation)")),
  ];
  return { name, ecdsa: hex(ecdsa.data()), eddsa: hex(eddsa.data()), chain_code: hex(chainCode), chains };
}

write("derive", "derived-addresses.json", ["vault 1", "vault 2", "vault 3", "vault 4"].map(vault));
