// Bundles the pages into OUT: one script for each, beside a page that holds nothing else.

import { parseOpenRPCDocument } from "@open-rpc/schema-utils-js";
import { build } from "esbuild";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const here = import.meta.dirname;
const out = resolve(process.env.OUT ?? join(here, "dist"));
const pages = readdirSync(join(here, "pages")).filter((file) => file.endsWith(".page.js"));

/**
 * Nodes have more fields than the documents, with every fork, and the wallet passes on what its node says. The second keyword is also
 * newer than the runner's validator.
 */
const FIELDS_AT_MOST = ["additionalProperties", "unevaluatedProperties"];
const withMoreFields = (key, value) => (value === false && FIELDS_AT_MOST.includes(key) ? undefined : value);

/** OpenRPC documents without references, as their runner wants them; and without notifications, which are no calls. */
const documents = {
  name: "openrpc",
  setup(bundle) {
    bundle.onLoad({ filter: /openrpc\.json$/ }, async ({ path }) => {
      const document = JSON.parse(readFileSync(path, "utf8"));
      const methods = document.methods.filter(({ result }) => result !== undefined);
      const parsed = await parseOpenRPCDocument({ ...document, methods }, { validate: false });
      return { contents: JSON.stringify(parsed, withMoreFields), loader: "json" };
    });
  },
};

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
  // The documents have no references left, for which the faker would need Node.
  alias: { buffer: "./node_modules/buffer", "json-schema-ref-parser": "./pages/nothing.js" },
  plugins: [documents],
  logLevel: "warning",
});
for (const file of pages) {
  const name = basename(file, ".page.js");
  writeFileSync(join(out, `${name}.html`), `<!doctype html><meta charset="utf-8"><title>${name}</title><div id="root"></div><script src="${name}.js"></script>\n`);
}
