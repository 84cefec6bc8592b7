import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { QUESTION } from "../src/popup/prompt/shown";
import { notificationClicked, onUnseen, summon } from "../src/worker/summon";

/** A page of the fake browser; `answer` is what it says when it is asked for a prompt. */
interface FakePage {
  windowId: number;
  answer: () => unknown;
}

let pages: FakePage[];
let windows: { id: number; url: string }[];
/** Windows whose page is not loaded yet. */
let loading: Set<number>;
let notifications: string[];
let session: Record<string, unknown>;
let local: Record<string, unknown>;
let asked: string[];
let summonedAgain: number;

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 60; turns++) await Promise.resolve();
};

/** Summons and lets the worker finish what it does at once. */
const summons = async (promptId: string): Promise<void> => {
  summon(promptId, `Title of ${promptId}`);
  await settle();
};

/** Lets the time pass after which a page has shown a prompt. */
const aSecondLater = async (): Promise<void> => {
  mock.timers.tick(1_000);
  await settle();
};

const page = (answer: () => unknown, windowId = 7): FakePage => ({ windowId, answer });
const opened = (): string[] => windows.map(({ url }) => url.replace("x://us/approve.html?prompt=", ""));

const area = (values: () => Record<string, unknown>): object => ({
  get: async (key: string) => ({ [key]: values()[key] }),
  set: async (added: object) => void Object.assign(values(), added),
});

async function sendMessage(message: Record<string, string>): Promise<unknown> {
  if (pages.length === 0) throw new Error("Could not establish connection. Receiving end does not exist.");
  asked.push(message[QUESTION] ?? "");
  return pages.map(({ answer }) => answer()).find((answer) => answer !== undefined);
}

async function createWindow({ url }: { url: string }): Promise<{ id: number }> {
  const id = 100 + windows.length;
  windows.push({ id, url });
  pages.push(page(() => "window", id));
  return { id };
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  [pages, windows, loading, notifications] = [[], [], new Set(), []];
  [session, local, asked, summonedAgain] = [{}, {}, [], 0];
  onUnseen(() => summonedAgain++);
  const fake = {
    runtime: { getURL: (path: string) => `x://us/${path}`, getContexts: async () => [...pages], sendMessage },
    storage: { session: area(() => session), local: area(() => local) },
    tabs: { query: async ({ windowId }: { windowId: number }) => [{ status: loading.has(windowId) ? "loading" : "complete" }] },
    windows: { create: createWindow },
    notifications: {
      create: async (id: string) => void notifications.push(id),
      clear: async (id: string) => void (notifications = notifications.filter((other) => other !== id)),
    },
  };
  Object.assign(globalThis, { chrome: fake });
});

afterEach(async () => {
  await aSecondLater();
  mock.timers.reset();
});

describe("a prompt", () => {
  it("opens a window and shows a notification if no page is open", async () => {
    await summons("p 1");
    assert.deepEqual(windows, [{ id: 100, url: "x://us/approve.html?prompt=p%201" }]);
    assert.deepEqual(notifications, ["p 1"]);
  });

  it("is left to a page that shows it", async () => {
    pages = [page(() => "page")];
    await summons("p1");
    await aSecondLater();
    assert.deepEqual([opened(), notifications, summonedAgain], [[], [], 0]);
  });

  it("opens a window if the open pages are hidden or show no prompts", async () => {
    pages = [page(() => undefined), page(() => undefined, 8)];
    await summons("p1");
    assert.deepEqual(opened(), ["p1"]);
  });

  it("opens a window if the open page does not answer in time", async () => {
    pages = [page(() => new Promise(() => {}))];
    await summons("p1");
    await aSecondLater();
    assert.deepEqual(opened(), []);
    await aSecondLater();
    assert.deepEqual(opened(), ["p1"]);
  });

  it("is shown by the window that is open, with a notification", async () => {
    await summons("p1");
    await summons("p2");
    await aSecondLater();
    assert.deepEqual([opened(), notifications, summonedAgain], [["p1"], ["p1", "p2"], 0]);
  });

  it("is left to a window that is being loaded", async () => {
    loading.add(100);
    await summons("p1");
    pages = [];
    await summons("p2");
    assert.deepEqual(opened(), ["p1"]);
  });

  it("gets a window of its own if the open one is closing", async () => {
    await summons("p1");
    pages = [page(() => undefined, 100)];
    await summons("p2");
    assert.deepEqual([opened(), notifications], [["p1", "p2"], ["p1", "p2"]]);
  });

  it("is summoned again if its page is closed at once", async () => {
    pages = [page(() => "page")];
    await summons("p1");
    pages = [];
    await aSecondLater();
    assert.equal(summonedAgain, 1);
    await summons("p1");
    assert.deepEqual(opened(), ["p1"]);
  });

  it("is summoned again by the next worker if the page was not asked twice", async () => {
    pages = [page(() => "page")];
    await summons("p1");
    assert.deepEqual(local, {});
    await aSecondLater();
    assert.deepEqual(local, { "summoned-prompts": ["p1"] });
  });

  it("does not open again the window that the user closed, also after a restart of the browser", async () => {
    await summons("p1");
    [pages, session] = [[], {}];
    await summons("p1");
    assert.deepEqual([opened(), notifications], [["p1"], ["p1"]]);
    await summons("p2");
    assert.deepEqual(opened(), ["p1", "p2"]);
  });

  it("is asked for once while a page shows it", async () => {
    pages = [page(() => "page")];
    await summons("p1");
    await summons("p1");
    assert.deepEqual(asked, ["p1"]);
  });

  it("is shown by a click on its notification", async () => {
    await summons("p1");
    await notificationClicked("p1");
    assert.deepEqual([opened(), asked, notifications], [["p1"], ["p1"], []]);
    pages = [];
    await notificationClicked("p1");
    assert.deepEqual(opened(), ["p1", "p1"]);
  });

  it("is not blocked by a window that could not be opened before", async () => {
    chrome.windows.create = (async () => {
      throw new Error("no display");
    }) as unknown as typeof chrome.windows.create;
    await summons("p1");
    chrome.windows.create = createWindow as unknown as typeof chrome.windows.create;
    await summons("p2");
    await summons("p1");
    assert.deepEqual(opened(), ["p2"]);
    await aSecondLater();
    assert.deepEqual(local, { "summoned-prompts": ["p2", "p1"] });
  });

  it("is remembered among the last two hundred", async () => {
    local = { "summoned-prompts": Array.from({ length: 200 }, (_, index) => `old ${index}`) };
    await summons("p1");
    const ids = local["summoned-prompts"] as string[];
    assert.deepEqual([ids.length, ids[0], ids.at(-1)], [200, "old 1", "p1"]);
  });
});
