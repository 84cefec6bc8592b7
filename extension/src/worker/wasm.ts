// Loads the wasm modules: the one that answers first reads, the core, of which cores are made, with its later part, the
// signer, the toolbox and the reader of descriptors.

import initBoot, { answer as answerRead, needs } from "../../generated/boot/boot.js";
import startClear, { __wbg_reset_state as resetClear, answer as answerClear } from "../../generated/clear/clear.js";
import init, { __wbg_reset_state, Core as WasmCore } from "../../generated/core/countersign.js";
import startDecoder, { __wbg_reset_state as resetDecoder, answerDecode } from "../../generated/signer/decoder.js";
import startSigner, { __wbg_reset_state as resetSigner, answerKeys } from "../../generated/signer/signer.js";
import startToolbox, { __wbg_reset_state as resetToolbox, answer as answerToolbox } from "../../generated/toolbox/toolbox.js";
import { BootReader } from "./boot";
import { descriptorReaderOf } from "./clear";
import { CoreRefused, type Core, type CoreSource } from "./core";
import { afterCrash, host } from "./host";
import { once } from "./keeper";
import { laterPartOf } from "./later";
import { signerOf } from "./signer";
import { toolboxOf } from "./toolbox";

/** Set by the build. */
declare const WASM_BYTES: number;

const compile = (file: string): Promise<WebAssembly.Module> =>
  WebAssembly.compileStreaming(fetch(chrome.runtime.getURL(file)));

const BOOT = "boot.wasm";
const CORE = "countersign.wasm";

/** Outlives cores; an instance belongs to one of them. */
const compileLater = once(() => compile("later.wasm"));

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

/** Outlives cores too. */
const toolbox = toolboxOf({
  compile: once(() => compile("toolbox.wasm")),
  start: async (module) => (await startToolbox({ module_or_path: module })).memory,
  answer: answerToolbox,
  reset: resetToolbox,
});

/** And so does this. */
const clear = descriptorReaderOf({
  compile: once(() => compile("clear.wasm")),
  start: async (module) => (await startClear({ module_or_path: module })).memory,
  answer: answerClear,
  reset: resetClear,
});

const DATABASE = "countersign";

/**
 * The database as it is, if there is one: opening it takes about as long as loading a module, so both begin at once.
 * Whether its version will do is for the modules to say; nothing is created or changed here.
 */
function openExisting(): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    const request = indexedDB.open(DATABASE);
    // There is none: opening would make one, so it is given up.
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  });
}

/** Where cores and first answers come from. */
export interface Modules {
  readonly boot: BootReader;
  readonly core: CoreSource;
}

/** What every start needs is loaded from the call on; the core's module when a core is opened. */
export function modules(): Modules {
  let opened: Promise<IDBDatabase | undefined> = openExisting().catch(() => undefined);
  let started: Promise<unknown> | undefined = startBoot();
  started.catch(() => {});
  let compiled: Promise<WebAssembly.Module> | undefined;
  let instantiated = false;

  const boot = new BootReader(
    {
      async start() {
        started ??= startBoot();
        await started.catch((error: unknown) => {
          started = undefined;
          throw error;
        });
      },
      needs,
      answer: answerRead,
    },
    () => opened,
  );

  const core: CoreSource = {
    async open(): Promise<Core> {
      compiled ??= compile(CORE);
      let exports;
      try {
        exports = await init({ module_or_path: await compiled });
      } catch (error) {
        compiled = undefined;
        throw new CoreRefused("core_not_loaded", `The wallet core could not be loaded: ${String(error)}`);
      }
      instantiated = true;
      const existing = opened;
      // A core that comes after a crash opens its own.
      opened = Promise.resolve(undefined);
      const later = laterPartOf(exports as unknown as WebAssembly.ModuleImports, compileLater);
      return WasmCore.open({ ...host, ...later }, signer, toolbox, clear, WASM_BYTES, DATABASE, await existing);
    },

    reset() {
      afterCrash();
      if (instantiated) __wbg_reset_state();
    },
  };
  return { boot, core };
}

const startBoot = (): Promise<unknown> => initBoot({ module_or_path: fetch(chrome.runtime.getURL(BOOT)) });
