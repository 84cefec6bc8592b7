// Bundles the pages into OUT: one script for each, beside a page that holds nothing else.

import { build } from "esbuild";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const here = import.meta.dirname;
const out = resolve(process.env.OUT ?? join(here, "dist"));
const pages = readdirSync(join(here, "pages")).filter((file) => file.endsWith(".page.js"));

mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: pages.map((file) => ({ in: `pages/${file}`, out: basename(file, ".page.js") })),
  outdir: out,
  bundle: true,
  format: "iife",
  target: "chrome120",
  define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
  // What the libraries take from Node, where they run there.
  inject: ["pages/node.js"],
  alias: { buffer: "./node_modules/buffer" },
  loader: { ".json": "json" },
  logLevel: "warning",
});
for (const file of pages) {
  const name = basename(file, ".page.js");
  writeFileSync(join(out, `${name}.html`), `<!doctype html><meta charset="utf-8"><title>${name}</title><div id="root"></div><script src="${name}.js"></script>\n`);
}
