// Loads the wasm module and makes cores of it.

import init, { __wbg_reset_state, Core as WasmCore } from "../../generated/core/countersign.js";
import { CoreRefused, type Core, type CoreSource } from "./core";
import { afterCrash, host } from "./host";

interface Compiled {
  module: WebAssembly.Module;
  bytes: number;
}

async function compile(): Promise<Compiled> {
  const response = await fetch(chrome.runtime.getURL("countersign.wasm"));
  const bytes = Number(response.headers.get("content-length") ?? 0);
  return { module: await WebAssembly.compileStreaming(response), bytes };
}

/** Compilation begins with the call, so that it runs while the worker's other scripts and events do. */
export function wasmSource(): CoreSource {
  let compiled: Promise<Compiled> | undefined = compile();
  compiled.catch(() => {});
  let instantiated = false;

  return {
    async open(): Promise<Core> {
      compiled ??= compile();
      let parts: Compiled;
      try {
        parts = await compiled;
        await init({ module_or_path: parts.module });
      } catch (error) {
        compiled = undefined;
        throw new CoreRefused("core_not_loaded", `The wallet core could not be loaded: ${String(error)}`);
      }
      instantiated = true;
      return WasmCore.open(host, parts.bytes);
    },

    reset() {
      afterCrash();
      if (instantiated) __wbg_reset_state();
    },
  };
}
