// Writes the extension's own files into OUT (default: ../dist/extension). `cargo xtask build` has by then put the wire
// types into generated, the glue of each module into a folder there, and the modules into OUT.

import { build } from "esbuild";
import { cpSync, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeMessages } from "./locales.mjs";

const here = import.meta.dirname;
const out = resolve(process.env.OUT ?? join(here, "../dist/extension"));
const development = process.env.NODE_ENV === "development";
const wasmBytes = statSync(join(out, "countersign.wasm"), { throwIfNoEntry: false })?.size ?? 0;

/** Every page of the user pays for it. */
const MAX_INPAGE_BYTES = 12_000;

const common = {
  absWorkingDir: here,
  outdir: out,
  bundle: true,
  target: "chrome120",
  minify: !development,
  sourcemap: development ? "inline" : false,
  legalComments: "none",
  logLevel: "warning",
};

/** The script that runs inside pages: with or without `window.ethereum`, as the user chooses. Pages wait for it. */
async function inpage(name, setEthereum) {
  await build({
    ...common,
    entryPoints: { [name]: "src/inpage/inpage.ts" },
    format: "iife",
    loader: { ".svg": "base64" },
    define: { SET_ETHEREUM: String(setEthereum) },
  });
  const bytes = statSync(join(out, `${name}.js`)).size;
  if (!setEthereum) console.log(`${name}.js: ${bytes} bytes (at most ${MAX_INPAGE_BYTES})`);
  if (!development && bytes > MAX_INPAGE_BYTES) throw new Error(`${name}.js is ${bytes} bytes, more than ${MAX_INPAGE_BYTES}.`);
}

mkdirSync(join(out, "icons"), { recursive: true });
await Promise.all([
  build({
    ...common,
    entryPoints: { worker: "src/worker/worker.ts" },
    // A classic script starts one to three milliseconds sooner than a module (median of 120 starts of each).
    format: "iife",
    define: {
      // The browser does not say how long an extension's file is, and reading it only for that would cost time.
      WASM_BYTES: String(wasmBytes),
      // Only where the glue would look for the module by itself, which it never has to.
      "import.meta.url": "self.location.href",
    },
  }),
  build({
    ...common,
    entryPoints: {
      popup: "src/popup/popup.ts",
      onboarding: "src/onboarding/onboarding.ts",
      approve: "src/approve/approve.ts",
      style: "src/popup/style/style.css",
    },
    format: "esm",
  }),
  build({ ...common, entryPoints: { content: "src/content/content.ts" }, format: "iife" }),
  inpage("inpage", false),
  inpage("inpage-ethereum", true),
]);

cpSync(join(here, "../manifest.json"), join(out, "manifest.json"));
writeMessages(out);
for (const page of ["popup", "onboarding", "approve", "tools"]) cpSync(join(here, `src/${page}/${page}.html`), join(out, `${page}.html`));
for (const size of [16, 32, 48, 128]) cpSync(join(here, `icons/${size}.png`), join(out, `icons/${size}.png`));
