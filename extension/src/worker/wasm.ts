// Loads the two wasm modules: the core, of which cores are made, and the signer.

import init, { __wbg_reset_state, Core as WasmCore } from "../../generated/core/countersign.js";
import startDecoder, { __wbg_reset_state as resetDecoder, answerDecode } from "../../generated/signer/decoder.js";
import startSigner, { __wbg_reset_state as resetSigner, answerKeys } from "../../generated/signer/signer.js";
import { CoreRefused, type Core, type CoreSource } from "./core";
import { afterCrash, host } from "./host";
import { once, signerOf } from "./signer";

/** Set by the build. */
declare const WASM_BYTES: number;

const compile = (file: string): Promise<WebAssembly.Module> =>
  WebAssembly.compileStreaming(fetch(chrome.runtime.getURL(file)));

const CORE = "countersign.wasm";

const compileSigner = once(() => compile("signer.wasm"));

/** Outlives cores: it has nothing of theirs. Two instances of one module, each with a copy of the glue. */
const signer = signerOf(
  {
    compile: compileSigner,
    start: async (module) => (await startSigner({ module_or_path: module })).memory,
    answer: answerKeys,
    reset: resetSigner,
  },
  {
    compile: compileSigner,
    start: async (module) => (await startDecoder({ module_or_path: module })).memory,
    answer: answerDecode,
    reset: resetDecoder,
  },
);

const DATABASE = "countersign";

/**
 * The database as it is, if there is one: opening it takes about as long as compiling the module, so both begin at
 * once. Whether its version will do is for the core to say; nothing is created or changed here.
 */
async function openExisting(): Promise<IDBDatabase | undefined> {
  const databases = await indexedDB.databases();
  if (!databases.some(({ name }) => name === DATABASE)) return undefined;
  return new Promise((resolve) => {
    const request = indexedDB.open(DATABASE);
    // Deleted in this very moment: leave it so.
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  });
}

/** Compilation begins with the call, so that it runs while the worker's other scripts and events do. */
export function wasmSource(): CoreSource {
  let opened: Promise<IDBDatabase | undefined> = openExisting().catch(() => undefined);
  let compiled: Promise<WebAssembly.Module> | undefined = compile(CORE);
  compiled.catch(() => {});
  let instantiated = false;

  return {
    async open(): Promise<Core> {
      compiled ??= compile(CORE);
      try {
        await init({ module_or_path: await compiled });
      } catch (error) {
        compiled = undefined;
        throw new CoreRefused("core_not_loaded", `The wallet core could not be loaded: ${String(error)}`);
      }
      instantiated = true;
      const existing = opened;
      // A core that comes after a crash opens its own.
      opened = Promise.resolve(undefined);
      return WasmCore.open(host, signer, WASM_BYTES, DATABASE, await existing);
    },

    reset() {
      afterCrash();
      if (instantiated) __wbg_reset_state();
    },
  };
}
