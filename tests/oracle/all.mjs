// Runs every oracle beside this file; each writes its own folder of tests/vectors.
import { readdirSync } from "node:fs";

const notOracles = new Set(["all.mjs", "payload.mjs"]);
for (const file of readdirSync(new URL(".", import.meta.url)).sort()) {
  if (!file.endsWith(".mjs") || notOracles.has(file)) continue;
  console.log(file);
  await import(new URL(file, import.meta.url));
}
