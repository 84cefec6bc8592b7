// Compiles the contracts beside this file into contracts.json: creation code and function selectors.
// `node crate/nodes/contracts/compile.mjs` after a change; with `--check` it only reports whether it is out of date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import solc from "solc";

const at = (name) => new URL(name, import.meta.url);
const names = readdirSync(at(".")).filter((name) => name.endsWith(".sol")).sort();
const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(at(name), "utf8") }]));
const settings = {
  // Supported by Arbitrum, Base and BSC too.
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  // Without a metadata hash, a comment changes nothing.
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.methodIdentifiers"] } },
};
const output = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })));
const problems = (output.errors ?? []).map((error) => error.formattedMessage);
if (problems.length) throw new Error(problems.join("\n"));

const contracts = {};
for (const [file, found] of Object.entries(output.contracts)) {
  const { evm } = found[file.replace(".sol", "")];
  contracts[file.replace(".sol", "")] = { creation: evm.bytecode.object, selectors: evm.methodIdentifiers };
}
const text = `${JSON.stringify(contracts, null, 2)}\n`;
if (process.argv.includes("--check")) {
  if (readFileSync(at("contracts.json"), "utf8") !== text) throw new Error("contracts.json is not what the sources compile to");
} else {
  writeFileSync(at("contracts.json"), text);
}
