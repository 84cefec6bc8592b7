import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerEnvelope } from "../src/worker/answer";
import { CoreKeeper, type Core, type FirstReader } from "../src/worker/core";

const turn = (millis = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

function keeper(reader: FirstReader): { keeper: CoreKeeper; opened: () => number } {
  let opened = 0;
  const core: Core = {
    handle: async () => ({ status: 200, body: '"core"' }),
    events_after: () => new Promise(() => {}),
    outside: async () => "{}",
    page: async () => "{}",
    page_state: async () => "{}",
    page_gone: async () => {},
    presence_changed: async () => {},
    resume: async () => {},
  };
  const source = {
    async open() {
      opened++;
      return core;
    },
    reset() {},
  };
  return { keeper: new CoreKeeper(source, reader), opened: () => opened };
}

const get = async (of: CoreKeeper, target: string): Promise<string> =>
  (await answerEnvelope(of, { countersign: 1, method: "GET", target, body: "" })).body;

describe("a first read", () => {
  it("is answered before a core is opened, which is opened after it", async () => {
    const { keeper: kept, opened } = keeper({ answer: async () => ({ status: 200, body: '"boot"' }) });
    assert.equal(await get(kept, "/api/contacts"), '"boot"');
    assert.equal(opened(), 0);
    await turn(50);
    assert.equal(opened(), 1);
    assert.equal(await get(kept, "/api/contacts"), '"core"');
  });

  it("is left to the core where the reader has no answer", async () => {
    const { keeper: kept } = keeper({ answer: async () => undefined });
    assert.equal(await get(kept, "/api/contacts"), '"core"');
  });
});
