import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InstanceKeeper, once, type ModuleInstance } from "../src/worker/keeper";
import { signerOf } from "../src/worker/signer";

const PAGE = 64 << 10;

/** A module that answers as told, and counts its calls. */
function fakeModule(parts: Partial<ModuleInstance> & { grow?: number } = {}) {
  const counts = { compiled: 0, started: 0, resets: 0 };
  let memory: WebAssembly.Memory | undefined;
  const instance: ModuleInstance = {
    compile: once(async () => {
      counts.compiled++;
      return {} as WebAssembly.Module;
    }),
    async start() {
      if (!memory) counts.started++;
      return (memory ??= new WebAssembly.Memory({ initial: 1 }));
    },
    answer(request) {
      memory?.grow(parts.grow ?? 0);
      return `answer to ${request}`;
    },
    reset() {
      counts.resets++;
      memory = undefined;
    },
    ...parts,
  };
  return { counts, instance, keeper: new InstanceKeeper(instance) };
}

describe("the signer", () => {
  it("is loaded once, at the first request", async () => {
    const { counts, keeper } = fakeModule();
    assert.deepEqual(counts, { compiled: 0, started: 0, resets: 0 });
    assert.deepEqual(await Promise.all([keeper.ask("a"), keeper.ask("b")]), ["answer to a", "answer to b"]);
    assert.deepEqual(counts, { compiled: 1, started: 1, resets: 0 });
  });

  it("releases the memory of a password hash", async () => {
    const { counts, keeper } = fakeModule({ grow: (64 << 20) / PAGE });
    assert.equal(await keeper.ask("hash"), "answer to hash");
    assert.equal(await keeper.ask("hash"), "answer to hash");
    assert.deepEqual(counts, { compiled: 1, started: 2, resets: 2 });
  });

  it("restarts after a trap and answers the next request", async () => {
    let asked = 0;
    const trap = new WebAssembly.RuntimeError("unreachable");
    const { counts, keeper } = fakeModule({
      answer() {
        if (asked++ === 0) throw trap;
        return "fine";
      },
    });
    const [first, second] = await Promise.allSettled([keeper.ask("a"), keeper.ask("b")]);
    assert.deepEqual(first, { status: "rejected", reason: trap });
    assert.deepEqual(second, { status: "fulfilled", value: "fine" });
    assert.deepEqual(counts, { compiled: 1, started: 2, resets: 1 });
  });

  it("is fetched again after a failed load", async () => {
    let tries = 0;
    const { keeper } = fakeModule({
      compile: once(async () => {
        if (tries++ === 0) throw new TypeError("no such file");
        return {} as WebAssembly.Module;
      }),
    });
    await assert.rejects(keeper.ask("a"), TypeError);
    assert.equal(await keeper.ask("a"), "answer to a");
  });

  it("answers one request after the other", async () => {
    const order: string[] = [];
    let release = (): void => {};
    const loading = new Promise<void>((resolve) => (release = resolve));
    const { keeper } = fakeModule({
      async compile() {
        await loading;
        return {} as WebAssembly.Module;
      },
      answer(request) {
        order.push(request);
        return request;
      },
    });
    const both = [keeper.ask("first"), keeper.ask("second")];
    assert.deepEqual(order, []);
    release();
    await Promise.all(both);
    assert.deepEqual(order, ["first", "second"]);
  });

  it("compiles once for two instances, and keeps their requests apart", async () => {
    let compiled = 0;
    const compile = once(async () => {
      compiled++;
      return {} as WebAssembly.Module;
    });
    const seen: Record<"keys" | "decode", string[]> = { keys: [], decode: [] };
    const answering = (name: "keys" | "decode") =>
      fakeModule({
        compile,
        answer(request) {
          seen[name].push(request);
          return name;
        },
      });
    const [keys, decode] = [answering("keys"), answering("decode")];
    const signer = signerOf(keys.instance, decode.instance);
    const answers = await Promise.all([signer.keys("secret"), signer.decode("bytes"), signer.keys("another")]);
    assert.deepEqual(answers, ["keys", "decode", "keys"]);
    assert.deepEqual(seen, { keys: ["secret", "another"], decode: ["bytes"] });
    assert.deepEqual([compiled, keys.counts.started, decode.counts.started], [1, 1, 1]);
  });

  it("gives up one instance without the other", async () => {
    const keys = fakeModule({ grow: (64 << 20) / PAGE });
    const decode = fakeModule();
    const signer = signerOf(keys.instance, decode.instance);
    await Promise.all([signer.keys("hash"), signer.decode("bytes")]);
    assert.deepEqual([keys.counts.resets, decode.counts.resets], [1, 0]);
  });
});
