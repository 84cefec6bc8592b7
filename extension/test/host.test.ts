import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { host, notificationClicked } from "../src/worker/host";

/** What the fake browser has open and shows. */
let pages: { windowId: number }[];
let windows: { id: number; url: string; focused: number }[];
let notifications: Map<string, string>;
let session: Record<string, unknown>;
let intervals: number[];

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
};

beforeEach(() => {
  [pages, windows, notifications, session, intervals] = [[], [], new Map(), {}, []];
  const fake = {
    action: { setBadgeBackgroundColor: async () => {}, setBadgeText: async () => {} },
    runtime: { getURL: (path: string) => `x://us/${path}`, getContexts: async () => [...pages] },
    storage: {
      session: {
        get: async (key: string) => ({ [key]: session[key] }),
        set: async (values: object) => void Object.assign(session, values),
      },
    },
    windows: {
      async create({ url }: { url: string }) {
        const id = 100 + windows.length;
        windows.push({ id, url, focused: 0 });
        pages.push({ windowId: id });
        return { id };
      },
      async update(id: number) {
        const window = windows.find((window) => window.id === id);
        assert.ok(window);
        window.focused++;
      },
    },
    idle: {
      setDetectionInterval: (seconds: number) => void intervals.push(seconds),
      queryState: async (seconds: number) => (seconds > 15 ? "active" : "idle"),
    },
    notifications: {
      create: async (id: string, { message }: { message: string }) => void notifications.set(id, message),
      clear: async (id: string) => notifications.delete(id),
      getAll: async () => Object.fromEntries([...notifications.keys()].map((id) => [id, true])),
    },
  };
  Object.assign(globalThis, { chrome: fake });
});

describe("a prompt without an open page", () => {
  it("opens a window and shows a notification", async () => {
    host.summon("p 1", "Sign two transactions");
    await settle();
    assert.deepEqual(windows, [{ id: 100, url: "x://us/approve.html?prompt=p%201", focused: 0 }]);
    assert.deepEqual([...notifications], [["p 1", "Sign two transactions"]]);
  });

  it("focuses an existing window instead of opening a second", async () => {
    host.summon("p1", "One");
    host.summon("p2", "Two");
    await settle();
    assert.deepEqual(windows, [{ id: 100, url: "x://us/approve.html?prompt=p1", focused: 1 }]);
    assert.deepEqual([...notifications.keys()], ["p1", "p2"]);
  });

  it("opens a window again after the user closed it", async () => {
    host.summon("p1", "One");
    await settle();
    pages = [];
    host.summon("p2", "Two");
    await settle();
    assert.deepEqual(
      windows.map(({ url }) => url),
      ["x://us/approve.html?prompt=p1", "x://us/approve.html?prompt=p2"],
    );
  });

  it("is left to an open page", async () => {
    pages = [{ windowId: 7 }];
    host.summon("p1", "One");
    await settle();
    assert.deepEqual([windows, [...notifications]], [[], []]);
  });

  it("is shown by a click on its notification", async () => {
    host.summon("p1", "One");
    await settle();
    await notificationClicked("p1");
    assert.deepEqual([windows[0]?.focused, notifications.size], [1, 0]);
    pages = [];
    await notificationClicked("p1");
    assert.equal(windows.length, 2);
  });

  it("clears notifications once everything is answered", async () => {
    host.summon("p1", "One");
    host.summon("p2", "Two");
    await settle();
    host.attention(1);
    await settle();
    assert.equal(notifications.size, 2);
    host.attention(0);
    await settle();
    assert.equal(notifications.size, 0);
  });

  it("a failed window does not block the next prompt", async () => {
    const create = chrome.windows.create;
    chrome.windows.create = (async () => {
      throw new Error("no display");
    }) as typeof create;
    host.summon("p1", "One");
    await settle();
    chrome.windows.create = create;
    host.summon("p2", "Two");
    await settle();
    assert.equal(windows.length, 1);
  });
});

describe("the user's presence", () => {
  it("is watched and asked for with an interval that Chrome takes", async () => {
    for (const seconds of [1, 15, 900]) host.watchPresence(seconds);
    assert.deepEqual(intervals, [15, 15, 900]);
    assert.deepEqual(await Promise.all([1, 900].map((seconds) => host.presence(seconds))), ["idle", "active"]);
  });
});
