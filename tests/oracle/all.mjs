// Makes tests/vectors again: `npm ci --ignore-scripts && npm run all`. Nothing changes, unless a case or a library did.
//
// Every file beside this one is an oracle for one kind of chain (a folder of the same name holds its parts) and writes
// one folder of vectors. What is written comes from libraries that others wrote, never from our own code; random values
// are seeded.
import { readdirSync } from "node:fs";

const notOracles = new Set(["all.mjs", "payload.mjs"]);
for (const file of readdirSync(new URL(".", import.meta.url)).sort()) {
  if (!file.endsWith(".mjs") || notOracles.has(file)) continue;
  console.log(file);
  await import(new URL(file, import.meta.url));
}
