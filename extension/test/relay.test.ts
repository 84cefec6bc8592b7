// The content script's relay: one answer for each request, also if the worker dies.

import assert from "node:assert/strict";
import { it } from "node:test";
import { isOffered } from "../src/content/frame";
import { Relay, type Port } from "../src/content/relay";
import { readRequest } from "../src/content/request";

class FakePort implements Port {
  readonly sent: { id: string; method: string; params: unknown }[] = [];
  readonly #heard: ((message: unknown) => void)[] = [];
  readonly #closed: (() => void)[] = [];
  readonly onMessage = { addListener: (work: (message: unknown) => void) => void this.#heard.push(work) };
  readonly onDisconnect = { addListener: (work: () => void) => void this.#closed.push(work) };

  postMessage(message: unknown): void {
    this.sent.push(message as { id: string; method: string; params: unknown });
  }
  disconnect(): void {}
  say(message: unknown): void {
    for (const work of this.#heard) work(message);
  }
  close(): void {
    for (const work of this.#closed) work();
  }
}

function bench(isOffered = true) {
  const ports: FakePort[] = [];
  const posted: unknown[] = [];
  const delays: number[] = [];
  const state = { isGone: false };
  const relay = new Relay({
    connect() {
      if (state.isGone) throw new Error("Extension context invalidated.");
      const port = new FakePort();
      ports.push(port);
      return port;
    },
    post: (message) => void posted.push(message),
    after(millis, work) {
      delays.push(millis);
      work();
    },
    nonce: "n",
    isOffered,
  });
  const ask = (id: unknown, method: unknown = "eth_chainId", params?: unknown): void =>
    relay.take({ target: "countersign-content", id, method, params });
  return { relay, ports, posted, delays, state, ask };
}

const answer = (id: unknown, result: unknown): object => ({ target: "countersign-inpage", id, result });

it("opens a port with the first request, and maps the page's ids to its own", () => {
  const { ports, posted, ask } = bench();
  assert.equal(ports.length, 0);
  ask("p1", "eth_accounts", []);
  ask(7);
  assert.deepEqual(ports[0]?.sent, [
    { id: "n-1", method: "eth_accounts", params: [] },
    { id: "n-2", method: "eth_chainId", params: undefined },
  ]);
  ports[0]?.say({ id: "n-2", result: "0x1" });
  ports[0]?.say({ id: "n-1", error: { code: 4001, message: "no" } });
  assert.deepEqual(posted, [
    answer(7, "0x1"),
    { target: "countersign-inpage", id: "p1", error: { code: 4001, message: "no" } },
  ]);
});

it("sends what is unanswered again with the same id, and answers it once", () => {
  const { ports, posted, ask, delays } = bench();
  ask("a");
  ask("b");
  ports[0]?.say({ id: "n-1", result: 1 });
  ports[0]?.close();
  assert.deepEqual(ports[1]?.sent.map(({ id }) => id), ["n-2"]);
  ports[0]?.say({ id: "n-2", result: "of the old port" });
  ports[1]?.say({ id: "n-2", result: 2 });
  ports[1]?.say({ id: "n-2", result: 3 });
  assert.deepEqual(posted, [answer("a", 1), answer("b", 2)]);
  ports[1]?.close();
  assert.equal(ports.length, 2, "nothing waits: the port is opened by the next request");
  assert.deepEqual(delays, [25]);
});

it("waits longer between ports that close without a word", () => {
  const { ports, ask, delays } = bench();
  ask("a");
  for (let i = 0; i < 10; i++) ports.at(-1)?.close();
  assert.deepEqual(delays, [25, 50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  ports.at(-1)?.say({ event: "state", data: {} });
  ports.at(-1)?.close();
  assert.equal(delays.at(-1), 25);
});

it("an extension that is gone answers 4900, now and later", () => {
  const { ports, posted, ask, state } = bench();
  ask("a");
  state.isGone = true;
  ports[0]?.close();
  ask("b");
  const codes = posted.map((message) => (message as { error?: { code: number } }).error?.code);
  assert.deepEqual(codes, [4900, undefined, 4900]);
  assert.deepEqual(posted[1], { target: "countersign-inpage", event: "state", data: null });
});

it("a frame that may not use the wallet is refused without a port", () => {
  const { ports, posted, ask } = bench(false);
  ask("a");
  assert.equal(ports.length, 0);
  assert.equal((posted[0] as { error: { code: number } }).error.code, 4100);
});

it("bounds what is in flight", () => {
  const { posted, ask, ports } = bench();
  for (let i = 0; i < 200; i++) ask(i);
  assert.equal(ports[0]?.sent.length, 128);
  assert.equal(posted.length, 72);
  assert.equal((posted[0] as { error: { code: number } }).error.code, -32005);
});

it("reads what a page may send, and refuses the rest without waking the worker", () => {
  const read = (message: unknown): unknown => readRequest(message)?.failure?.code ?? readRequest(message)?.method;
  const own = (rest: object): object => ({ target: "countersign-content", id: 1, ...rest });
  assert.equal(read(own({ method: "eth_call", params: [] })), "eth_call");
  for (const other of [null, 7, "x", [], {}, { target: "other" }, own({ id: {} }), own({ id: "x".repeat(201) })]) {
    assert.equal(readRequest(other), undefined);
  }
  assert.equal(read(own({})), -32600);
  assert.equal(read(own({ method: 7 })), -32600);
  assert.equal(read(own({ method: "m", params: ["x".repeat(2 << 20)] })), -32602);
  assert.equal(read(own({ method: "m", params: ["é".repeat(600_000)] })), -32602, "bytes count, not letters");
  assert.equal(read(own({ method: "m", params: [1n] })), -32602);
  const circle: unknown[] = [];
  circle.push(circle);
  assert.equal(read(own({ method: "m", params: circle })), -32602);
});

it("speaks the form of multichain sessions, and tells their changes", () => {
  const { relay, ports, posted } = bench();
  const caip = (data: object): object => ({
    target: "metamask-contentscript",
    data: { name: "metamask-multichain-provider", data: { jsonrpc: "2.0", ...data } },
  });
  const heard = (data: object): object => ({
    target: "metamask-inpage",
    data: { name: "metamask-multichain-provider", data: { jsonrpc: "2.0", ...data } },
  });
  relay.take(caip({ id: 5, method: "wallet_getSession" }));
  relay.take(caip({ id: 6, method: "eth_accounts" }));
  ports[0]?.say({ event: "state", data: { sessions: {} } });
  ports[0]?.say({ id: "n-1", result: { sessionScopes: {} } });
  ports[0]?.say({ event: "state", data: { sessions: { "eip155:1": {} } } });
  const caipOnes = posted.filter((message) => (message as { target: string }).target === "metamask-inpage");
  assert.deepEqual(caipOnes, [
    heard({ id: 6, error: { code: 4200, message: "The wallet does not support this method here." } }),
    heard({ id: 5, result: { sessionScopes: {} } }),
    heard({ method: "wallet_sessionChanged", params: { sessionScopes: { "eip155:1": {} } } }),
  ]);
});

it("listens again when the worker has news, if it has listened before", () => {
  const { relay, ports, ask } = bench();
  relay.wake();
  assert.equal(ports.length, 0, "a page that never asked is left alone");
  ask("a");
  ports[0]?.say({ id: "n-1", result: 1 });
  relay.wake();
  assert.equal(ports.length, 1);
  ports[0]?.close();
  relay.wake();
  assert.equal(ports.length, 2);
  relay.restore();
  assert.equal(ports.length, 3, "out of the back-forward cache");
});

it("is offered to top frames and frames of the same origin, on pages that cannot be altered", () => {
  const frame = (href: string, ancestors: string[] = [], origin = new URL(href).origin) =>
    isOffered({ origin, location: { ...pick(href), ancestorOrigins: ancestors } } as unknown as Window);
  const pick = (href: string) => {
    const { origin, protocol, hostname } = new URL(href);
    return { origin, protocol, hostname };
  };
  assert.ok(frame("https://app.example/x"));
  assert.ok(frame("http://localhost:3000/"));
  assert.ok(frame("http://127.0.0.1:3000/", ["http://127.0.0.1:3000"]));
  assert.ok(!frame("http://app.example/"));
  assert.ok(!frame("https://app.example/", ["https://other.example"]));
  assert.ok(!frame("https://app.example/", ["https://app.example", "https://other.example"]));
  assert.ok(!frame("https://app.example/", [], "null"), "sandboxed");
  assert.ok(!frame("file:///x.html"));
  assert.ok(!frame("data:text/html,x"));
});
