import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { laterPartOf } from "../src/worker/later";

/** `(module (import "core" "f" (func)) (start 0))`: calls the core when it is instantiated. */
const PART = new WebAssembly.Module(
  Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00],
    ...[0x02, 0x0a, 0x01, 0x04, 0x63, 0x6f, 0x72, 0x65, 0x01, 0x66, 0x00, 0x00, 0x08, 0x01, 0x00],
  ),
);

/** A core that counts the parts that were instantiated over it. */
function countingCore(): { parts: number; exports: WebAssembly.ModuleImports } {
  const core = { parts: 0, exports: { f: () => void core.parts++ } };
  return core;
}

describe("the later part", () => {
  it("is instantiated once, for all who ask at once", async () => {
    const core = countingCore();
    const part = laterPartOf(core.exports, async () => PART);
    assert.equal(core.parts, 0);
    await Promise.all([part.loadLater(), part.loadLater()]);
    await part.loadLater();
    assert.equal(core.parts, 1);
  });

  it("is loaded again after a failure", async () => {
    const core = countingCore();
    let attempts = 0;
    const part = laterPartOf(core.exports, async () => {
      if (attempts++ === 0) throw new TypeError("Failed to fetch");
      return PART;
    });
    const failed = await Promise.allSettled([part.loadLater(), part.loadLater()]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    await part.loadLater();
    assert.deepEqual([attempts, core.parts], [2, 1]);
  });

  it("belongs to one core", async () => {
    const [crashed, next] = [countingCore(), countingCore()];
    await laterPartOf(crashed.exports, async () => PART).loadLater();
    await laterPartOf(next.exports, async () => PART).loadLater();
    assert.deepEqual([crashed.parts, next.parts], [1, 1]);
  });
});

const built = (name: string): string => join(process.cwd(), "../dist/extension", name);
const FILES = [built("countersign.wasm"), built("later.wasm")] as const;

describe("the built core", { skip: !FILES.every(existsSync) && "it was not built" }, () => {
  /** The core without a browser: its functions are there, and none of them is called. */
  function core(module: WebAssembly.Module): WebAssembly.Exports {
    const imports: WebAssembly.Imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
    return new WebAssembly.Instance(module, imports).exports;
  }
  const [module, later] = FILES.map((file) => new WebAssembly.Module(readFileSync(file))) as [
    WebAssembly.Module,
    WebAssembly.Module,
  ];

  it("has slots that its later part fills, and it alone", async () => {
    const [one, other] = [core(module), core(module)];
    const table = (exports: WebAssembly.Exports): WebAssembly.Table => {
      const shared = WebAssembly.Module.imports(later).find(({ kind, name }) => {
        const item = exports[name];
        return kind === "table" && item instanceof WebAssembly.Table && (item.length === 0 || typeof item.get(1) === "function");
      });
      assert.ok(shared);
      return exports[shared.name] as WebAssembly.Table;
    };
    const empty = (exports: WebAssembly.Exports): number => {
      const slots = table(exports);
      // A table of Rust's has no function in its first slot.
      return Array.from({ length: slots.length - 1 }, (_, slot) => slots.get(slot + 1)).filter((entry) => entry === null).length;
    };
    const before = empty(one);
    assert.ok(before > 20, `${before} slots`);
    await laterPartOf(one as WebAssembly.ModuleImports, async () => later).loadLater();
    assert.deepEqual([empty(one), empty(other)], [0, before]);
  });

  it("exports little: each start makes an object of every export", () => {
    const count = WebAssembly.Module.exports(module).length;
    assert.ok(count < 40, `${count} exports`);
  });
});
