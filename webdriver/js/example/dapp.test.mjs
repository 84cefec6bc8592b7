// The dapp of webdriver/example, tested from JavaScript.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { serve, Wallet } from "countersign-webdriver";

const AUTHOR = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const TIP = 10_000_000_000_000_000n;

let wallet, site, dapp;

before(async () => {
  wallet = await Wallet.launch();
  site = await serve(join(import.meta.dirname, "../../example/dapp"));
  dapp = await wallet.openDapp(site.url("/"));
});

after(async () => {
  await wallet?.end();
  await site?.end();
});

test("a user refuses, then connects", async () => {
  await dapp.press("#connect");
  await wallet.reject();
  await dapp.textThat("#answer", (text) => text.startsWith("refused: 4001"));
  await dapp.press("#connect");
  await wallet.approve();
  await dapp.textThat("#account", (text) => text === wallet.address);
});

test("a tip arrives", async () => {
  const before = await wallet.node.balance(AUTHOR);
  await dapp.press("#tip");
  await wallet.approve();
  const hash = await dapp.textThat("#answer", (text) => text.startsWith("0x"));
  await wallet.node.receipt(hash);
  assert.equal((await wallet.node.balance(AUTHOR)) - before, TIP);
});

test("both tips arrive although the worker is killed", async () => {
  await dapp.press("#tip-both");
  await wallet.prompt();
  await wallet.killWorker();
  await wallet.approve();
  const id = await dapp.textThat("#answer", (text) => text !== "waiting");
  const { receipts } = await dapp.waitForStatus(id, 200);
  assert.equal(receipts.length, 2);
});

test("what needs no user is answered at once", async () => {
  assert.equal(await dapp.request("eth_chainId"), "0x1");
  await assert.rejects(dapp.request("eth_sign", [wallet.address, "0x00"]), { code: 4200 });
});
