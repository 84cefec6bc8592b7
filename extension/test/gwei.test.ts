// Prices of gas as people write them.

import assert from "node:assert/strict";
import { it } from "node:test";
import { gweiOf, weiOf } from "../src/approve/gwei";

it("writes gwei and reads it back", () => {
  for (const [wei, gwei] of [
    ["0", "0"],
    ["1", "0.000000001"],
    ["1500000000", "1.5"],
    ["30000000000", "30"],
  ] as const) {
    assert.equal(gweiOf(wei), gwei);
    assert.equal(weiOf(gwei), wei);
  }
  assert.equal(weiOf("1,5"), "1500000000");
  assert.equal(weiOf(" 2 "), "2000000000");
});

it("reads nothing but numbers", () => {
  for (const text of ["", "-1", "1e9", "0x1", "1.", ".5", "1.0000000001", "one"]) assert.equal(weiOf(text), undefined, text);
});
