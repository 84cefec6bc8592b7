// What the parts of the Solana oracle share: numbers, keys, spellings, tokens.
import { createHash } from "node:crypto";
import * as spl from "@solana/spl-token";
import * as web3 from "@solana/web3.js";

// The same numbers in every run.
let counter = 0;
export const random = (length) => createHash("shake256", { outputLength: length }).update(`solana ${counter++}`).digest();
export const keypair = () => web3.Keypair.fromSeed(random(32));
export const address = () => keypair().publicKey.toBase58();
export const blockhash = () => new web3.PublicKey(random(32)).toBase58();
export const secret = (pair) => Buffer.from(pair.secretKey.slice(0, 32));
export const hex = (bytes) => Buffer.from(bytes).toString("hex");
export const base64 = (bytes) => Buffer.from(bytes).toString("base64");

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
export function bs58(bytes) {
  let value = BigInt("0x" + (hex(bytes) || "0"));
  let text = "";
  for (; value > 0n; value /= 58n) text = digits[Number(value % 58n)] + text;
  for (const byte of bytes) {
    if (byte !== 0) break;
    text = "1" + text;
  }
  return text;
}

export const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
export const PYUSD = "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo";
export const usdc = { mint: USDC, decimals: 6 };
export const pyusd = { mint: PYUSD, decimals: 6, token2022: true };

export const coinOf = (pair, token) => ({
  chain: "Solana",
  ticker: token ? "TKN" : "SOL",
  address: pair.publicKey.toBase58(),
  contract_address: token?.mint ?? "",
  decimals: token?.decimals ?? 9,
  is_native_token: !token,
  hex_public_key: hex(pair.publicKey.toBytes()),
});

export function associated(token, owner) {
  const program = token.token2022 ? spl.TOKEN_2022_PROGRAM_ID : spl.TOKEN_PROGRAM_ID;
  return spl.getAssociatedTokenAddressSync(new web3.PublicKey(token.mint), new web3.PublicKey(owner), true, program).toBase58();
}
