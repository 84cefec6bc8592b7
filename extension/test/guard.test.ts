import assert from "node:assert/strict";
import { beforeEach, it, mock } from "node:test";
import { ARM_MILLIS, Guard } from "../src/popup/prompt/guard";

const PRESS = { isTrusted: true };

class FakePage extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";

  turn(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

let page: FakePage;
let frame: EventTarget;
let shown: boolean[];

function guard(): Guard {
  shown = [];
  return new Guard((armed) => shown.push(armed), page, frame);
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  page = new FakePage();
  frame = new EventTarget();
});

it("a press counts only after the prompt was visible for a while", () => {
  const guarded = guard();
  mock.timers.tick(ARM_MILLIS - 1);
  assert.equal(guarded.admits(PRESS), false);
  assert.deepEqual(shown, [false]);
  mock.timers.tick(1);
  assert.deepEqual(shown, [false, true]);
  assert.equal(guarded.admits(PRESS), true);
});

it("a script's press is ignored and does not use up the user's", () => {
  const guarded = guard();
  mock.timers.tick(ARM_MILLIS);
  assert.equal(guarded.admits({ isTrusted: false }), false);
  assert.equal(guarded.admits(PRESS), true);
});

it("the second half of a double click is ignored, also by the next prompt", () => {
  const guarded = guard();
  mock.timers.tick(ARM_MILLIS);
  assert.deepEqual([guarded.admits(PRESS), guarded.admits(PRESS)], [true, false]);
  mock.timers.tick(10 * ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), false, "the answer is still on its way");
  guarded.restart();
  assert.equal(guarded.admits(PRESS), false);
  mock.timers.tick(ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), true);
});

it("hidden time does not count, and becoming visible restarts the delay", () => {
  page.visibilityState = "hidden";
  const guarded = guard();
  mock.timers.tick(10 * ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), false);
  page.turn("visible");
  mock.timers.tick(ARM_MILLIS - 1);
  assert.equal(guarded.admits(PRESS), false);
  page.turn("hidden");
  mock.timers.tick(ARM_MILLIS);
  page.turn("visible");
  assert.equal(guarded.admits(PRESS), false);
  mock.timers.tick(ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), true);
});

it("a hidden page admits no press before its event arrives", () => {
  const guarded = guard();
  mock.timers.tick(ARM_MILLIS);
  page.visibilityState = "hidden";
  assert.equal(guarded.admits(PRESS), false);
});

it("a window that returns to the front admits no press at first", () => {
  const guarded = guard();
  mock.timers.tick(ARM_MILLIS);
  frame.dispatchEvent(new Event("blur"));
  frame.dispatchEvent(new Event("focus"));
  assert.equal(guarded.admits(PRESS), false);
  mock.timers.tick(ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), true);
});

it("a visible page may get its first focus by the press itself", () => {
  const guarded = guard();
  mock.timers.tick(ARM_MILLIS);
  frame.dispatchEvent(new Event("focus"));
  assert.equal(guarded.admits(PRESS), true);
});

it("no second press while an answer is sent, also after hiding the page", () => {
  const guarded = guard();
  mock.timers.tick(ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), true);
  page.turn("hidden");
  page.turn("visible");
  frame.dispatchEvent(new Event("blur"));
  frame.dispatchEvent(new Event("focus"));
  mock.timers.tick(10 * ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), false);
});

it("a settled prompt admits no press", () => {
  const guarded = guard();
  guarded.stop();
  page.turn("hidden");
  page.turn("visible");
  mock.timers.tick(ARM_MILLIS);
  assert.equal(guarded.admits(PRESS), false);
});
