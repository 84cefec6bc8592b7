// The script of a mainnet address of a Bitcoin-like chain: the node here has other address prefixes, and only scripts
// are the same.
import { createHash } from "node:crypto";
import { bech32, bech32m, createBase58check } from "@scure/base";

const base58check = createBase58check((bytes) => createHash("sha256").update(bytes).digest());
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const push = (bytes) => hex([bytes.length]) + hex(bytes);

/** Versions of hashes of a script: Bitcoin, Litecoin (two), Dogecoin, Dash. All others are hashes of a key. */
const OF_SCRIPTS = [0x05, 0x32, 0x16, 0x10];

export function scriptOf(address) {
  if (/^(bc|ltc)1/.test(address)) {
    const [version] = bech32.decodeUnsafe(address)?.words ?? bech32m.decode(address).words;
    const { words } = (version === 0 ? bech32 : bech32m).decode(address);
    return hex([version ? 0x50 + version : 0]) + push(bech32.fromWords(words.slice(1)));
  }
  const [version, ...hash] = base58check.decode(address);
  if (hash.length !== 20) throw new Error(`not an address: ${address}`);
  return OF_SCRIPTS.includes(version) ? `a9${push(hash)}87` : `76a9${push(hash)}88ac`;
}
