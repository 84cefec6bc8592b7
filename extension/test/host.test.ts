import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { host } from "../src/worker/host";

let notifications: Set<string>;
let intervals: number[];
let badge: string;

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
};

beforeEach(() => {
  [notifications, intervals, badge] = [new Set(), [], ""];
  const fake = {
    action: { setBadgeBackgroundColor: async () => {}, setBadgeText: async ({ text }: { text: string }) => void (badge = text) },
    idle: {
      setDetectionInterval: (seconds: number) => void intervals.push(seconds),
      queryState: async (seconds: number) => (seconds > 15 ? "active" : "idle"),
    },
    notifications: {
      clear: async (id: string) => notifications.delete(id),
      getAll: async () => Object.fromEntries([...notifications].map((id) => [id, true])),
    },
  };
  Object.assign(globalThis, { chrome: fake });
});

describe("the badge", () => {
  it("counts the open prompts, and the last one takes the notifications with it", async () => {
    notifications = new Set(["p1", "p2"]);
    host.attention(1);
    await settle();
    assert.deepEqual([badge, notifications.size], ["1", 2]);
    host.attention(0);
    await settle();
    assert.deepEqual([badge, notifications.size], ["", 0]);
  });
});

describe("the user's presence", () => {
  it("is watched and asked for with an interval that Chrome takes", async () => {
    for (const seconds of [1, 15, 900]) host.watchPresence(seconds);
    assert.deepEqual(intervals, [15, 15, 900]);
    assert.deepEqual(await Promise.all([1, 900].map((seconds) => host.presence(seconds))), ["idle", "active"]);
  });
});
