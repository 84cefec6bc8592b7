// Messages from outside, and the browser's rules for some MCP servers.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Core } from "../src/worker/core";
import { answerOutside, Extensions, originOf, textOf, type ExternalPort } from "../src/worker/external";
import { originRules } from "../src/worker/origin-rules";

/** T004-14: who speaks is said by the browser. */
it("a sender is its origin, an extension its id", () => {
  assert.equal(originOf({ origin: "https://app.example" }), "https://app.example");
  assert.equal(originOf({ id: "abc", origin: "https://app.example" }), "chrome-extension://abc", "a script of an extension in a page");
  assert.equal(originOf({ origin: "null" }), undefined);
  assert.equal(originOf({}), undefined);
});

/** T004-14: a message cannot name its own sender, and only an object reaches the core. */
it("a message from outside reaches the core with the sender's origin", async () => {
  const seen: string[][] = [];
  const core = {
    outside: async (origin: string, text: string) => {
      seen.push([origin, text]);
      return '{"status":200}';
    },
  } as unknown as Core;
  const keeper = { run: <T>(work: (core: Core) => Promise<T>): Promise<T> => work(core) };
  const message = { type: "countersign.externalCalls", origin: "https://bank.example" };
  assert.deepEqual(await answerOutside(keeper, message, { origin: "https://app.example" }), { status: 200 });
  assert.deepEqual(seen, [["https://app.example", JSON.stringify(message)]]);
  const refused = { status: 400, body: { error: { code: "invalid_request", message: "" } } };
  for (const other of ["text", 7, null, [1], undefined]) {
    assert.deepEqual(await answerOutside(keeper, other, { origin: "https://app.example" }), refused);
  }
  assert.deepEqual(await answerOutside(keeper, message, { origin: "null" }), refused);
  assert.equal(seen.length, 1);
  assert.equal(textOf({ a: "x".repeat(3 << 20) }), undefined, "too long");
});

it("a core that stopped tells nothing outside", async () => {
  const keeper = { run: () => Promise.reject(new Error("trap at 0x12")) };
  const answer = await answerOutside(keeper, { type: "x" }, { id: "abc" });
  assert.deepEqual(answer, { status: 503, body: { error: { code: "core_crashed", message: "" } } });
});

/** A port of an extension, what is posted to it, and how it speaks and closes. */
function extensionPort(): { port: ExternalPort; posted: Rpc[]; speak: (data: unknown) => void; say: (message: unknown) => void; close: () => void } {
  const posted: Rpc[] = [];
  let hear: (message: unknown) => void = () => {};
  let closed: () => void = () => {};
  const port = {
    sender: { id: "abc", origin: "https://bank.example" },
    postMessage: ({ data }: { data: Rpc }) => void posted.push(data),
    disconnect: () => {},
    onMessage: { addListener: (work: (message: unknown) => void) => (hear = work) },
    onDisconnect: { addListener: (work: () => void) => (closed = work) },
  } as unknown as ExternalPort;
  return { port, posted, speak: (data) => hear({ type: "caip-348", data }), say: (message) => hear(message), close: () => closed() };
}

interface Rpc {
  id?: unknown;
  method?: string;
  result?: unknown;
  error?: { code: number };
  params?: unknown;
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const running = (core: object) => ({ run: <T>(work: (core: Core) => Promise<T>): Promise<T> => work(core as Core) });

it("another extension speaks of multichain sessions only, under its own name", async () => {
  const seen: unknown[][] = [];
  const core = { page: async (...args: unknown[]) => (seen.push(args), '{"result":{}}') };
  const { port, posted, speak, say } = extensionPort();
  new Extensions(running(core)).connected(port, "doc");
  for (const junk of ["ping", null, { type: "other", data: {} }, { type: "caip-348", data: 7 }]) say(junk);
  speak({ id: 1, method: "wallet_getSession", params: {} });
  speak({ id: 2, method: "eth_accounts" });
  speak({ id: {}, method: "wallet_getSession" });
  await rest();
  assert.deepEqual(seen[0], ["chrome-extension://abc", "doc", 0, '{"id":"doc-1","method":"wallet_getSession","params":{}}']);
  assert.ok(seen.every(([origin, document, , text]) => origin === "chrome-extension://abc" && document === "doc" && String(text).includes("getSession")));
  assert.deepEqual(new Map(posted.map(({ id, error }) => [id, error?.code])).get(1), undefined);
  assert.deepEqual(posted.map(({ error }) => error?.code ?? 0).sort(), [-32600, 0, 4200]);
});

/** Ids of extensions come again, for other requests: each is a request of its own. */
it("an id that comes again is another request", async () => {
  const ids: string[] = [];
  const core = { page: async (...args: unknown[]) => (ids.push((JSON.parse(args[3] as string) as { id: string }).id), '{"result":{}}') };
  const { port, speak } = extensionPort();
  new Extensions(running(core)).connected(port, "doc");
  for (const id of [1, 1, "1", `${"x".repeat(50)}a`, `${"x".repeat(50)}b`]) speak({ id, method: "wallet_invokeMethod", params: {} });
  await rest();
  assert.equal(new Set(ids).size, ids.length);
});

/** CAIP-311: a change is told to the extension that has a session, once, and to no other. */
it("an extension is told that its session changed", async () => {
  let scopes: object = {};
  const core = { page: async () => JSON.stringify({ result: { sessionScopes: scopes } }), page_gone: async () => {} };
  const extensions = new Extensions(running(core));
  const [used, unused] = [extensionPort(), extensionPort()];
  extensions.connected(used.port, "one");
  extensions.connected(unused.port, "two");
  used.speak({ id: 1, method: "wallet_getSession" });
  await rest();
  scopes = { "eip155:1": {} };
  extensions.changed("chrome-extension://abc");
  extensions.changed("https://app.example");
  await rest();
  extensions.changed(undefined);
  await rest();
  const told = used.posted.filter(({ method }) => method === "wallet_sessionChanged");
  assert.deepEqual(told, [{ jsonrpc: "2.0", method: "wallet_sessionChanged", params: { sessionScopes: scopes } }]);
  assert.deepEqual(unused.posted, []);
});

/** A port that closed is a document that is gone: its next port gets the answers that it did not. */
it("a closed port is gone, and gets nothing more", async () => {
  const gone: string[][] = [];
  let answer: (text: string) => void = () => {};
  const core = {
    page: () => new Promise<string>((resolve) => (answer = resolve)),
    page_gone: async (...args: string[]) => void gone.push(args),
  };
  const { port, posted, speak, close } = extensionPort();
  new Extensions(running(core)).connected(port, "doc");
  speak({ id: 1, method: "wallet_createSession", params: {} });
  close();
  answer('{"result":{}}');
  await rest();
  assert.deepEqual(gone, [["chrome-extension://abc", "doc"]]);
  assert.deepEqual(posted, []);
});

/** The Origin header is left out for chosen addresses, in our own requests only. */
it("a rule is for one address and one initiator", () => {
  const server = (url: string, withoutOrigin = true, isEnabled = true) => ({ url, withoutOrigin, isEnabled });
  const servers = [
    server("https://a.example/mcp?x=1"),
    server("https://b.example/mcp", false),
    server("https://c.example/mcp", true, false),
    server("http://127.0.0.1:9/mcp"),
    server("https://d.example/*"),
    server("nonsense"),
  ];
  assert.deepEqual(
    originRules(servers, "me").map(({ id, condition, action }) => [id, condition.urlFilter, condition.initiatorDomains, action.requestHeaders]),
    ["|https://a.example/mcp", "|http://127.0.0.1:9/mcp"].map((filter, i) => [
      ...[i + 1, filter, ["me"], [{ header: "origin", operation: "remove" }]],
    ]),
  );
});
