// Sui's wallet standard, by the registry that its dapp kit uses.

import { getWallets } from "@wallet-standard/app";
import { ed25519 } from "@noble/curves/ed25519";
import { blake2b } from "@noble/hashes/blake2b";
import { check, equal, given, judge, refused, until } from "./judge.js";

const registry = getWallets();
const find = () =>
  until("the wallet", () => registry.get().find(({ name, chains }) => name === "Countersign" && chains.some((chain) => chain.startsWith("sui:"))));
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
let account;

judge([
  {
    name: "registered in the wallet standard",
    method: "wallet-standard:register-wallet",
    async run() {
      const { features } = await find();
      for (const name of ["standard:connect", "standard:events", "sui:signPersonalMessage", "sui:signTransaction"]) check(features[name], name);
    },
  },
  {
    name: "connection",
    method: "standard:connect",
    user: ["approve"],
    async run() {
      const { features } = await find();
      const { accounts } = await features["standard:connect"].connect();
      account = accounts.find(({ chains }) => chains.some((chain) => chain.startsWith("sui:")));
      equal(account?.address, given.sui);
    },
  },
  {
    name: "message signed and verified",
    method: "sui:signPersonalMessage",
    user: ["approve"],
    async run() {
      const { features } = await find();
      const message = new TextEncoder().encode("Hello from Sui's standard");
      const { signature } = await features["sui:signPersonalMessage"].signPersonalMessage({ message, account, chain: "sui:mainnet" });
      const signed = bytes(signature);
      // Intent (personal message), then the bytes as BCS writes them: their number, and they.
      const digest = blake2b(new Uint8Array([3, 0, 0, message.length, ...message]), { dkLen: 32 });
      equal([signed[0], signed.length], [0, 97], "scheme and length");
      check(ed25519.verify(signed.slice(1, 65), digest, signed.slice(65)), "the signature is of the key");
      equal([...signed.slice(65)], [...account.publicKey].slice(-32), "the key");
    },
  },
  {
    name: "message rejected",
    method: "sui:signPersonalMessage",
    user: ["reject"],
    result: "4001",
    async run() {
      const { features } = await find();
      const message = new TextEncoder().encode("no");
      await refused(4001, features["sui:signPersonalMessage"].signPersonalMessage({ message, account, chain: "sui:mainnet" }));
    },
  },
]);
