import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerEnvelope, answerRequest, lastId } from "../src/worker/answer";
import { CoreKeeper, isStale, isTrap, type Core, type CoreSource, type Reply } from "../src/worker/core";

const never = (): Promise<never> => new Promise(() => {});
const trap = (): Error => new WebAssembly.RuntimeError("unreachable");
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function reply(status: number, body: string, eventsAfter?: number): Reply {
  return eventsAfter === undefined ? { status, body } : { status, body, eventsAfter };
}

function fakeCore(parts: Partial<Core>): Core {
  return {
    handle: async () => reply(200, "{}"),
    events_after: never,
    outside: async () => "{}",
    page: async () => "{}",
    page_state: async () => "{}",
    page_gone: async () => {},
    presence_changed: async () => {},
    resume: async () => {},
    ...parts,
  };
}

/** Opens the given cores one after another and counts resets. */
function source(...openings: (() => Promise<Core>)[]): CoreSource & { resets: number; opened: number } {
  return {
    resets: 0,
    opened: 0,
    open() {
      const next = openings[Math.min(this.opened++, openings.length - 1)];
      assert.ok(next);
      return next();
    },
    reset() {
      this.resets++;
    },
  };
}

const get = (keeper: CoreKeeper, target: string) =>
  answerEnvelope(keeper, { countersign: 1, method: "GET", target, body: "" });

const code = (body: string): unknown => (JSON.parse(body) as { error: { code: unknown } }).error.code;

describe("a core that crashes", () => {
  it("fails every request in flight when one traps, and serves the next", async () => {
    const crashing = fakeCore({
      async handle(_method, target) {
        if (target === "/api/slow") return never();
        await turn();
        throw trap();
      },
    });
    const cores = source(
      async () => crashing,
      async () => fakeCore({}),
    );
    const keeper = new CoreKeeper(cores);

    const both = await Promise.all([get(keeper, "/api/slow"), get(keeper, "/api/bad")]);
    assert.deepEqual(
      both.map((answer) => [answer.status, code(answer.body)]),
      [
        [500, "core_crashed"],
        [500, "core_crashed"],
      ],
    );
    assert.deepEqual(await get(keeper, "/api/health"), { status: 200, body: "{}" });
    assert.deepEqual([cores.opened, cores.resets], [2, 1]);
  });

  it("fails a request when the trap reaches only the global scope", async () => {
    const cores = source(
      async () => fakeCore({ handle: never }),
      async () => fakeCore({}),
    );
    const keeper = new CoreKeeper(cores);
    const stuck = get(keeper, "/api/calls");
    await turn();
    keeper.uncaught(trap());
    assert.equal((await stuck).status, 500);
    assert.equal((await get(keeper, "/api/calls")).status, 200);
    assert.equal(cores.resets, 1);
  });

  it("is reset when it traps while opening", async () => {
    const cores = source(never, async () => fakeCore({}));
    const keeper = new CoreKeeper(cores);
    const stuck = get(keeper, "/api/health");
    await turn();
    keeper.uncaught(trap());
    assert.equal((await stuck).status, 500);
    assert.equal((await get(keeper, "/api/health")).status, 200);
  });

  it("is reset once for all callers", async () => {
    const cores = source(
      async () => fakeCore({ handle: () => Promise.reject(trap()) }),
      async () => fakeCore({}),
    );
    const keeper = new CoreKeeper(cores);
    await Promise.all([get(keeper, "/api/a"), get(keeper, "/api/b"), get(keeper, "/api/c")]);
    assert.equal(cores.resets, 1);
  });

  it("tells the next core to resume", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    let resumed = 0;
    const resume = async (): Promise<void> => void resumed++;
    const cores = source(
      async () => fakeCore({ resume, handle: () => Promise.reject(trap()) }),
      async () => fakeCore({ resume }),
    );
    const keeper = new CoreKeeper(cores);
    await get(keeper, "/api/a");
    await get(keeper, "/api/a");
    context.mock.timers.runAll();
    assert.equal(resumed, 1, "the one that crashed at once has nothing to take up");
  });

  it("resumes once, after the first answer or after a while without one", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    let resumed = 0;
    const resume = async (): Promise<void> => void resumed++;
    const answering = new CoreKeeper(source(async () => fakeCore({ resume })));
    const answer = get(answering, "/api/a");
    assert.equal(resumed, 0);
    await answer;
    context.mock.timers.tick(5);
    assert.equal(resumed, 1);
    context.mock.timers.tick(1000);
    assert.equal(resumed, 1);

    const waiting = new CoreKeeper(source(async () => fakeCore({ resume, handle: never })));
    void get(waiting, "/api/a");
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
    context.mock.timers.tick(149);
    assert.equal(resumed, 1);
    context.mock.timers.tick(1);
    assert.equal(resumed, 2);
  });

  it("ends its event streams", async () => {
    const cores = source(async () => fakeCore({ handle: async () => reply(200, "", 7) }));
    const keeper = new CoreKeeper(cores);
    const response = await answerRequest(keeper, new Request("http://worker/api/events?after=7"));
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    await turn();
    keeper.uncaught(trap());
    assert.equal(await response.text(), "");
  });
});

describe("a core that refuses to open", () => {
  it("answers 503 with its own error, and is opened again", async () => {
    const refused = { code: "schema_too_new", message: "The store is newer than the program." };
    const cores = source(
      () => Promise.reject(refused),
      async () => fakeCore({}),
    );
    const keeper = new CoreKeeper(cores);

    const first = await get(keeper, "/api/health");
    assert.equal(first.status, 503);
    assert.deepEqual(JSON.parse(first.body), {
      error: { code: "schema_too_new", message: "The store is newer than the program." },
    });
    assert.deepEqual(await get(keeper, "/api/health"), { status: 200, body: "{}" });
    assert.equal(cores.resets, 0);
  });
});

describe("a core that refuses while it runs", () => {
  it("continues: a reported error is not a crash", async () => {
    const unavailable = { code: "storage_unavailable", message: "The disk is full." };
    const refuse = (): Promise<never> => Promise.reject(unavailable);
    const cores = source(async () =>
      fakeCore({ resume: refuse, handle: async () => reply(200, "{}", 1), events_after: refuse }),
    );
    const keeper = new CoreKeeper(cores);
    const response = await answerRequest(keeper, new Request("http://worker/api/events"));
    assert.equal(await response.text(), "");
    assert.deepEqual([cores.opened, cores.resets], [1, 0]);
  });
});

describe("an event stream", () => {
  it("continues after the last sent event", async () => {
    const asked: number[] = [];
    const texts = [
      "id: 8\nevent: message\ndata: {}\n\nid: 12\nevent: gap\ndata: {}\n\n",
      "id: 13\nevent: gap\ndata: {}\n\n",
    ];
    const cores = source(async () =>
      fakeCore({
        handle: async () => reply(200, "", 5),
        events_after(after) {
          asked.push(after);
          const text = texts[asked.length - 1];
          return text === undefined ? never() : Promise.resolve(text);
        },
      }),
    );
    const response = await answerRequest(new CoreKeeper(cores), new Request("http://worker/api/events?after=5"));
    const reader = response.body!.getReader();
    await reader.read();
    await reader.read();
    await turn();
    assert.deepEqual(asked, [5, 12, 13]);
    await reader.cancel();
  });

  it("is refused as a message", async () => {
    const keeper = new CoreKeeper(source(async () => fakeCore({ handle: async () => reply(200, "", 5) })));
    assert.equal((await get(keeper, "/api/events")).status, 406);
  });

  it("reads ids from id lines only", () => {
    assert.equal(lastId('data: {"text":"id: 9"}\n\n'), undefined);
    assert.equal(lastId("id: 3\ndata: x\n\nid:4\ndata: y\n\n"), 4);
  });
});

it("only the worker's own routes are served", async () => {
  const keeper = new CoreKeeper(source(async () => fakeCore({})));
  assert.equal((await get(keeper, "/popup.html")).status, 404);
  assert.equal((await get(keeper, "/api/../popup.html")).status, 404);
  assert.equal((await get(keeper, "http://[")).status, 404);
});

it("a callback of a reset instance is not a crash", () => {
  assert.ok(isTrap(trap()));
  assert.ok(isStale(new Error("Cannot invoke closure from previous WASM instance")));
  assert.ok(!isStale(trap()));
});
