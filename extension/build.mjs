// Writes the extension's own files into OUT (default: ../dist/extension). `cargo xtask build` has by then put the wire
// types into generated, the wasm's glue into generated/core, and countersign.wasm into OUT.

import { build } from "esbuild";
import { cpSync, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const out = resolve(process.env.OUT ?? join(here, "../dist/extension"));
const development = process.env.NODE_ENV === "development";

mkdirSync(join(out, "icons"), { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { worker: "src/worker/worker.ts", popup: "src/popup/popup.ts", style: "src/popup/style/style.css" },
  outdir: out,
  bundle: true,
  format: "esm",
  target: "chrome120",
  minify: !development,
  sourcemap: development ? "inline" : false,
  // The browser does not say how long an extension's file is, and reading it only for that would cost start-up time.
  define: { WASM_BYTES: String(statSync(join(out, "countersign.wasm"), { throwIfNoEntry: false })?.size ?? 0) },
  legalComments: "none",
  logLevel: "warning",
});

cpSync(join(here, "../manifest.json"), join(out, "manifest.json"));
cpSync(join(here, "src/popup/popup.html"), join(out, "popup.html"));
for (const size of [16, 32, 48, 128]) cpSync(join(here, `icons/${size}.png`), join(out, `icons/${size}.png`));
