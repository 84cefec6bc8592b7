// Loads the later part of a core: a wasm file of its own, with what neither a start nor a signature needs. It has no memory
// and no table of its own: it is instantiated over a running core's, and writes its functions into that core's table.

import { once } from "./keeper";

/** Called from Rust; the name is the contract. */
export interface LaterPart {
  /** Resolves when the part is there. Rejects when it cannot be loaded; then the next call tries again. */
  loadLater(): Promise<void>;
}

/** The later part of the core that has these exports. A new core needs one of its own. */
export function laterPartOf(core: WebAssembly.ModuleImports, compile: () => Promise<WebAssembly.Module>): LaterPart {
  return {
    loadLater: once(async () => {
      await WebAssembly.instantiate(await compile(), { core });
    }),
  };
}
