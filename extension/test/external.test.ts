// Messages from outside, and the browser's rules for some MCP servers.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Core } from "../src/worker/core";
import { answerOutside, connectedOutside, originOf, textOf, type ExternalPort } from "../src/worker/external";
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

it("another extension speaks of multichain sessions only, under its own name", async () => {
  const seen: unknown[] = [];
  const core = { page: async (...args: unknown[]) => (seen.push(args), '{"result":{}}') } as unknown as Core;
  const posted: unknown[] = [];
  let hear: (message: unknown) => void = () => {};
  const port = {
    sender: { id: "abc", origin: "https://bank.example" },
    postMessage: (message: unknown) => void posted.push(message),
    disconnect: () => {},
    onMessage: { addListener: (work: (message: unknown) => void) => (hear = work) },
  } as unknown as ExternalPort;
  connectedOutside({ run: <T>(work: (core: Core) => Promise<T>): Promise<T> => work(core) }, port, "0-0-0-0-0");
  for (const junk of ["ping", null, { type: "other", data: {} }, { type: "caip-348", data: 7 }]) hear(junk);
  hear({ type: "caip-348", data: { id: 1, method: "wallet_getSession", params: {} } });
  hear({ type: "caip-348", data: { id: 2, method: "eth_accounts" } });
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(seen, [["chrome-extension://abc", "0-0-0-0-0", 0, '{"id":"0-0-0-0-0-1","method":"wallet_getSession","params":{}}']]);
  const codes = posted.map((message) => (message as { data: { id: number; error?: { code: number } } }).data);
  assert.deepEqual(codes.map(({ id, error }) => [id, error?.code]).sort(), [[1, undefined], [2, 4200]]);
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
