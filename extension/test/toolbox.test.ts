// The toolbox as it is shipped: what native tests show must hold with the stack and the memory of a wasm instance too.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { answer, initSync } from "../generated/toolbox/toolbox.js";

const FILE = join(process.cwd(), "../dist/extension/toolbox.wasm");

/** Nothing of it may take longer, on a busy machine too. */
const MOST_MILLIS = 15_000;
const MOST_MEMORY = 256 << 20;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

describe("the built toolbox", { skip: !existsSync(FILE) && "it was not built" }, () => {
  let memory: WebAssembly.Memory;
  before(() => {
    memory = initSync({ module: readFileSync(FILE) }).memory;
  });

  function ask(request: Json): Json {
    const begun = performance.now();
    const reply = JSON.parse(answer(JSON.stringify(request))) as Json;
    const took = performance.now() - begun;
    assert.ok(took < MOST_MILLIS, `took ${took} ms`);
    assert.ok(memory.buffer.byteLength < MOST_MEMORY, `took ${memory.buffer.byteLength} bytes`);
    return reply;
  }

  const code = (reply: Json): Json => {
    const refused = (reply as { refused?: { code: string } }).refused;
    return refused?.code ?? reply;
  };
  const nested = (depth: number, wrap: (inner: Json) => Json, inner: Json): Json => {
    let value = inner;
    for (let level = 0; level < depth; level++) value = wrap(value);
    return value;
  };

  it("validates, extracts and matches", () => {
    const schema = { type: "object", properties: { city: { type: "string", pattern: "^B" } }, required: ["city"] };
    assert.deepEqual(ask({ validate: { schema, value: { city: "Bern" } } }), { validated: { violations: [] } });
    assert.deepEqual(ask({ validate: { schema, value: {} } }), {
      validated: { violations: [{ path: "/city", message: "is required" }] },
    });
    const body = JSON.stringify([{ name: "Bern" }, { name: "Basel" }, { name: "Chur" }]);
    const extract = (expr: string): Json => ask({ extract: { expr, encoding: "json", body } });
    assert.deepEqual(extract("$[?match(@.name, 'B.*')].name"), { extracted: { value: ["Bern", "Basel"] } });
    assert.deepEqual(extract("$[?search(@.name, 'u')].name"), { extracted: { value: "Chur" } });
    assert.deepEqual(extract("$[?length(@.name) == 5].name"), { extracted: { value: "Basel" } });
  });

  it("has stack enough for the longest chains that are allowed", () => {
    // 64 levels of the value, each under as many schemas as the bound leaves.
    const tree = { allOf: [{ anyOf: [{ additionalProperties: { $ref: "#" } }] }] };
    assert.deepEqual(ask({ validate: { schema: tree, value: nested(60, (a) => ({ a }), 1) } }), {
      validated: { violations: [] },
    });
    const chain: { [name: string]: Json } = { s0: { type: "integer" } };
    for (let link = 1; link < 250; link++) chain[`s${link}`] = { $ref: `#/$defs/s${link - 1}` };
    const schema = { $defs: chain, $ref: "#/$defs/s249" };
    assert.deepEqual(ask({ validate: { schema, value: 1 } }), { validated: { violations: [] } });
    assert.equal((ask({ validate: { schema, value: "x" } }) as any).validated.violations.length, 1);
    const deep = nested(31, (inner) => ({ properties: { a: { allOf: [inner] } } }), true);
    assert.equal(code(ask({ check_schema: { schema: deep } })), "schema_too_large");
    const fits = nested(15, (inner) => ({ properties: { a: { allOf: [inner] } } }), true);
    assert.deepEqual(ask({ check_schema: { schema: fits } }), { done: {} });
  });

  it("refuses what would take too long", () => {
    const doubling: { [name: string]: Json } = { s0: { type: "string" } };
    for (let link = 1; link <= 40; link++) {
      const inner = { $ref: `#/$defs/s${link - 1}` };
      doubling[`s${link}`] = { anyOf: [inner, inner] };
    }
    assert.equal(code(ask({ check_schema: { schema: { $defs: doubling, $ref: "#/$defs/s40" } } })), "too_expensive");
    assert.equal(code(ask({ check_schema: { schema: { $ref: "#" } } })), "invalid_schema");
    const value = Array.from({ length: 100_000 }, () => 1);
    const reply = ask({ validate: { schema: { items: { type: "string" } }, value } });
    assert.equal((reply as any).validated.violations.length, 1);
    const body = JSON.stringify(nested(60, (inner) => [inner, 1], [1]));
    for (const expr of ["$..*..*..*..*..*", `$${"[0,0]".repeat(60)}`]) {
      assert.equal(code(ask({ extract: { expr, encoding: "json", body } })), "too_expensive");
    }
    const filters = `$${"[?(@".repeat(4)}${")]".repeat(4)}`;
    ask({ extract: { expr: filters, encoding: "json", body: "[[[[1]]]]" } });
    const values = `$[?${"value(".repeat(7)}@.a${")".repeat(7)} == 1]`;
    ask({ extract: { expr: values, encoding: "json", body: "[[[[1]]]]" } });
  });

  it("searches the longest texts that are allowed", () => {
    for (const [expr, length] of [
      ["^(a+)+$", 4 << 20],
      ["(a|b|ab)*c", 4 << 20],
      ["(?:a?){30}a{30}$", 1 << 20],
      ["(\\w+\\s*)+;", 500 << 10],
    ] as const) {
      const reply = ask({ extract: { expr, encoding: "text", body: `${"a".repeat(length - 1)}!` } });
      assert.ok("no_match" in (reply as object) || code(reply) === "too_expensive", JSON.stringify(reply));
    }
  });

  it("reads the largest response that is allowed", () => {
    const row = { id: 1, name: "x".repeat(40), tags: ["a", "b"], at: { lat: 1.5, lon: 2.5 } };
    const body = JSON.stringify(Array.from({ length: 30_000 }, () => row));
    assert.ok(body.length < 4 << 20);
    const reply = ask({ extract: { expr: "$[?@.tags[?@ == 'b']].id", encoding: "json", body } });
    assert.equal((reply as any).extracted.value.length, 30_000);
  });
});
