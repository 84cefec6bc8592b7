// Solana's wallet adapter for React over the wallet standard.

import { createElement, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { ConnectionProvider, useWallet, WalletProvider } from "@solana/wallet-adapter-react";
import { PublicKey, SystemProgram, Transaction, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { ed25519 } from "@noble/curves/ed25519";
import { check, equal, given, judge, refused, until } from "./judge.js";

let wallet;
const problems = [];
function Keep() {
  const now = useWallet();
  wallet = now;
  useEffect(() => {
    wallet = now;
  });
  return null;
}
const onError = (error) => problems.push(error);
const mount = () => {
  const keep = createElement(Keep);
  const provider = createElement(WalletProvider, { wallets: [], onError, localStorageKey: "judge" }, keep);
  createRoot(document.getElementById("root")).render(createElement(ConnectionProvider, { endpoint: "http://127.0.0.1:9" }, provider));
};
mount();

const BLOCKHASH = "EETubP5AKHgjPAhzPAFcb8BAY1hMH639CWCFTqi3hq1k";
const OTHER = new PublicKey("11111111111111111111111111111112");
const ours = () => until("the wallet", () => wallet?.wallets.find(({ adapter }) => adapter.name === "Countersign"));
const transfer = (lamports) => SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: OTHER, lamports });

judge([
  {
    name: "registered in the wallet standard",
    method: "wallet-standard:register-wallet",
    async run() {
      const { adapter } = await ours();
      check(adapter.standard, "a standard wallet");
      check([...adapter.supportedTransactionVersions].includes(0), "versioned transactions");
      check(adapter.icon.startsWith("data:image/"), "an icon");
    },
  },
  {
    name: "connection rejected",
    method: "standard:connect",
    user: ["reject"],
    result: "rejected",
    async run() {
      const { adapter } = await ours();
      let failed;
      try {
        await adapter.connect();
      } catch (error) {
        failed = error;
      }
      check(failed?.name === "WalletConnectionError", `the adapter says so: ${failed}`);
    },
  },
  {
    name: "connection",
    method: "standard:connect",
    user: ["approve"],
    async run() {
      const { adapter } = await ours();
      wallet.select(adapter.name);
      await until("the selection", () => wallet.wallet?.adapter.name === adapter.name);
      await wallet.connect();
      await until("the account", () => wallet.connected && wallet.publicKey);
      equal(wallet.publicKey.toBase58(), given.solana);
    },
  },
  {
    name: "message signed and verified",
    method: "solana:signMessage",
    user: ["approve"],
    async run() {
      const message = new TextEncoder().encode("Hello from the wallet adapter");
      const signature = await wallet.signMessage(message);
      check(ed25519.verify(signature, message, wallet.publicKey.toBytes()), "the signature is the account's");
    },
  },
  {
    name: "message rejected",
    method: "solana:signMessage",
    user: ["reject"],
    result: "4001",
    async run() {
      const error = await refused(4001, wallet.signMessage(new TextEncoder().encode("no")));
      equal(error.name, "WalletSignMessageError");
    },
  },
  {
    name: "legacy transaction signed",
    method: "solana:signTransaction",
    user: ["approve"],
    async run() {
      const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: BLOCKHASH }).add(transfer(1000));
      check((await wallet.signTransaction(transaction)).verifySignatures(), "the signature is the account's");
    },
  },
  {
    name: "versioned transaction signed",
    method: "solana:signTransaction",
    user: ["approve"],
    async run() {
      const message = new TransactionMessage({ payerKey: wallet.publicKey, recentBlockhash: BLOCKHASH, instructions: [transfer(2000)] });
      const compiled = message.compileToV0Message();
      const signed = await wallet.signTransaction(new VersionedTransaction(compiled));
      check(ed25519.verify(signed.signatures[0], compiled.serialize(), wallet.publicKey.toBytes()), "the signature is the account's");
    },
  },
  {
    name: "sign-in",
    method: "solana:signIn",
    user: ["approve"],
    async run() {
      const input = { domain: location.host, statement: "Sign in to the judge.", nonce: "oBbLoEldZs" };
      const { account, signedMessage, signature } = await wallet.signIn(input);
      const text = new TextDecoder().decode(signedMessage);
      check(text.startsWith(`${location.host} wants you to sign in with your Solana account:\n${account.address}`), text);
      check(ed25519.verify(signature, signedMessage, wallet.publicKey.toBytes()), "the signature is the account's");
    },
  },
  {
    name: "disconnection",
    method: "standard:disconnect",
    async run() {
      await wallet.disconnect();
      await until("the end", () => !wallet.connected);
    },
  },
]);
