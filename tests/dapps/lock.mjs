// Writes package-lock.json anew: `node lock.mjs`. The dapps of others are pages that were bundled already: their dependencies
// (1 200 packages, a gigabyte) are what they were built with, and nothing here runs them. The lock file names none of them. Of the
// runner of OpenRPC documents, the parts that make and judge calls are used, not its reports: what those parts need is in package.json.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ALONE = [
  "@metamask/test-dapp", "@metamask/test-dapp-multichain", "@metamask/test-dapp-solana", "@metamask/api-specs", "@open-rpc/test-coverage",
];

const here = import.meta.dirname;
const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "countersign-dapps-"));
const npm = (...words) => execFileSync("npm", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

try {
  const others = Object.entries(manifest.dependencies).filter(([name]) => !ALONE.includes(name));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies: Object.fromEntries(others) }));
  cpSync(join(here, ".npmrc"), join(folder, ".npmrc"));
  npm("install", "--package-lock-only");
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  lock.packages[""].dependencies = manifest.dependencies;
  for (const name of ALONE) {
    const version = manifest.dependencies[name];
    const { "dist.integrity": integrity, license } = JSON.parse(npm("view", `${name}@${version}`, "dist.integrity", "license", "--json"));
    lock.packages[`node_modules/${name}`] = { version, integrity, license };
  }
  const [root, ...packages] = Object.entries(lock.packages);
  packages.sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries([root, ...packages]);
  writeFileSync(join(here, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
