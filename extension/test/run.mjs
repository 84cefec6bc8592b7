// Bundles each test file, so that Node runs the same code that the browser gets, and hands them to Node's own runner.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname;
const out = mkdtempSync(join(tmpdir(), "countersign-test-"));
const files = readdirSync(here).filter((name) => name.endsWith(".test.ts"));

await build({
  entryPoints: files.map((name) => join(here, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  sourcemap: "inline",
  logLevel: "warning",
});
const tests = files.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const setUp = ["--enable-source-maps", "--import", pathToFileURL(join(here, "chrome.mjs")).href];
const { status } = spawnSync(process.execPath, [...setUp, "--test", ...tests], { stdio: "inherit", cwd: join(here, "..") });
rmSync(out, { recursive: true });
process.exit(status ?? 1);
