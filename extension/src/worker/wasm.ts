// Loads the wasm module and makes cores of it.

import init, { __wbg_reset_state, Core as WasmCore } from "../../generated/core/countersign.js";
import { CoreRefused, type Core, type CoreSource } from "./core";
import { afterCrash, host } from "./host";

/** Set by the build. */
declare const WASM_BYTES: number;

const compile = (): Promise<WebAssembly.Module> =>
  WebAssembly.compileStreaming(fetch(chrome.runtime.getURL("countersign.wasm")));

/** Compilation begins with the call, so that it runs while the worker's other scripts and events do. */
export function wasmSource(): CoreSource {
  // Makes the browser open its storage for us meanwhile; the answer itself is of no use.
  indexedDB.databases().catch(() => {});
  let compiled: Promise<WebAssembly.Module> | undefined = compile();
  compiled.catch(() => {});
  let instantiated = false;

  return {
    async open(): Promise<Core> {
      compiled ??= compile();
      try {
        await init({ module_or_path: await compiled });
      } catch (error) {
        compiled = undefined;
        throw new CoreRefused("core_not_loaded", `The wallet core could not be loaded: ${String(error)}`);
      }
      instantiated = true;
      return WasmCore.open(host, WASM_BYTES);
    },

    reset() {
      afterCrash();
      if (instantiated) __wbg_reset_state();
    },
  };
}
