// Ports of pages in the worker, and where the scripts are registered.

import assert from "node:assert/strict";
import { it } from "node:test";
import { CoreCrashed, CoreRefused, type Core } from "../src/worker/core";
import { Pages, readRequest, speakerOf, type PagePort } from "../src/worker/pages";
import { matchesOf, scriptsFor } from "../src/worker/registration";

type Sender = chrome.runtime.MessageSender;

const sender = (change: object = {}): Sender =>
  ({
    id: "me",
    origin: "https://app.example",
    documentId: "d",
    frameId: 0,
    tab: { id: 3, url: "https://app.example/x" },
    ...change,
  }) as unknown as Sender;

it("a page is what the browser says it is", () => {
  assert.deepEqual(speakerOf(sender(), "me"), { origin: "https://app.example", document: "d", tab: 3 });
  assert.ok(speakerOf(sender({ frameId: 4 }), "me"), "a frame of the same origin");
  const refused = [
    undefined,
    sender({ id: "other" }),
    sender({ id: undefined }),
    sender({ tab: undefined }),
    sender({ documentId: undefined }),
    sender({ origin: "null" }),
    sender({ origin: undefined }),
    sender({ origin: "chrome-extension://me" }),
    sender({ frameId: 4, origin: "https://other.example" }),
    sender({ frameId: 4, tab: { id: 3 } }),
  ];
  for (const one of refused) assert.equal(speakerOf(one, "me"), undefined);
});

it("a request has an id and a method, and cannot name its origin", () => {
  assert.deepEqual(readRequest({ id: "a-1", method: "m", params: [1], origin: "https://bank.example" }), {
    id: "a-1",
    text: '{"id":"a-1","method":"m","params":[1]}',
  });
  for (const bad of [null, 7, {}, { id: 1, method: "m" }, { id: "", method: "m" }, { id: "a" }]) {
    assert.equal(readRequest(bad), undefined);
  }
  assert.equal(readRequest({ id: "a", method: "m", params: ["x".repeat(2 << 20)] }), undefined);
});

function bench(page: Core["page"], state = '{"connected":false}') {
  const core = { page, page_state: async () => state } as unknown as Core;
  const pages = new Pages({ run: (work) => work(core) }, "me");
  const posted: unknown[] = [];
  let hear: (message: unknown) => void = () => {};
  let isClosed = false;
  const port: PagePort = {
    name: "countersign-page",
    sender: sender(),
    postMessage: (message) => void posted.push(message),
    disconnect: () => (isClosed = true),
    onMessage: { addListener: (work) => (hear = work) },
    onDisconnect: { addListener: () => {} },
  };
  return { pages, port, posted, say: (message: unknown) => hear(message), isClosed: () => isClosed };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

it("a request reaches the core with the browser's word, and a new port starts with the state", async () => {
  const seen: unknown[] = [];
  const { pages, port, posted, say } = bench(async (...args) => (seen.push(args), '{"result":"0x1"}'));
  pages.connected(port);
  say({ id: "a-1", method: "eth_chainId" });
  await turn();
  assert.deepEqual(seen, [["https://app.example", "d", 3, '{"id":"a-1","method":"eth_chainId"}']]);
  assert.deepEqual(posted, [{ id: "a-1", result: "0x1" }, { event: "state", data: { connected: false } }]);
});

it("a core that crashed closes the port, so that the request is sent again; one that refuses says so", async () => {
  const crashed = bench(() => Promise.reject(new CoreCrashed("trap")));
  crashed.pages.connected(crashed.port);
  crashed.say({ id: "a", method: "m" });
  await turn();
  assert.ok(crashed.isClosed());
  assert.deepEqual(crashed.posted, []);
  const refused = bench(() => Promise.reject(new CoreRefused("store_newer", "")));
  refused.pages.connected(refused.port);
  refused.say({ id: "a", method: "m" });
  await turn();
  assert.equal((refused.posted[0] as { error: { code: number } }).error.code, -32603);
});

it("another port is closed", () => {
  const { pages, port, isClosed } = bench(async () => "{}");
  pages.connected({ ...port, name: "other" });
  assert.ok(isClosed());
});

it("scripts are registered where the user wants them and the browser permits them", () => {
  const loopback = ["http://127.0.0.1/*", "http://localhost/*"];
  const sites = ["https://app.example", "https://no.example", "http://localhost:3000", "javascript:x"];
  const granted = [...loopback, "https://app.example/*"];
  assert.deepEqual(matchesOf({ mode: "off", sites }, granted), []);
  assert.deepEqual(matchesOf({ mode: "sites", sites }, granted), ["http://localhost:3000/*", "https://app.example/*"]);
  assert.deepEqual(matchesOf({ mode: "sites", sites: ["https://a.example:8443"] }, ["https://*/*"]), ["https://a.example:8443/*"]);
  assert.deepEqual(matchesOf({ mode: "all", sites: [] }, granted), [...loopback, "https://app.example/*"]);
  assert.deepEqual(matchesOf({ mode: "all", sites: [] }, [...granted, "https://*/*"]), [...loopback, "https://*/*"]);
  const several = ["https://a.example", "https://b.a.example:8443", "https://other.example", "http://localhost:3000"];
  const chosen = (granted: string[]): string[] => matchesOf({ mode: "sites", sites: several }, granted);
  assert.deepEqual(chosen(["https://*.a.example/*"]), ["https://a.example/*", "https://b.a.example:8443/*"]);
  assert.deepEqual(chosen(["*://other.example/*"]), ["https://other.example/*"]);
  assert.deepEqual(chosen(["https://a.example:8443/*", "http://a.example/*", "https://xa.example/*"]), []);
  assert.deepEqual(chosen(["<all_urls>"]).length, 4);
  assert.deepEqual(matchesOf({ mode: "all", sites: [] }, ["*://a.example/*", "http://b.example/*"]), ["https://a.example/*"]);
  assert.deepEqual(matchesOf({ mode: "all", sites: [] }, ["<all_urls>"]), [...loopback, "https://*/*"]);
  const settings = { mode: "all", sites: [], setEthereum: true, extensions: [] } as const;
  const scripts = scriptsFor({ ...settings, sites: [], extensions: [] }, loopback);
  assert.deepEqual(
    scripts.map(({ js, world, runAt, persistAcrossSessions, allFrames }) => [js, world, runAt, persistAcrossSessions, allFrames]),
    [
      [["content.js"], "ISOLATED", "document_start", true, true],
      [["inpage-ethereum.js"], "MAIN", "document_start", true, true],
    ],
  );
  assert.deepEqual(scriptsFor({ mode: "off", sites: [], setEthereum: true, extensions: [] }, loopback), []);
});
