// Anvil, a complete EVM node in one process.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "./driver.mjs";

/** A running node that mines every transaction at once. */
export class Anvil {
  #process;

  constructor(process, url, chainId) {
    this.#process = process;
    this.url = url;
    this.chainId = chainId;
  }

  static async start(chainId = 1) {
    const args = ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(chainId), "--hardfork", "prague"];
    const process = spawn(program(), args, { stdio: ["ignore", "pipe", "ignore"] });
    const url = await new Promise((resolve, reject) => {
      process.once("error", (error) => reject(new Error(`anvil did not start: ${error.message} (npm i @foundry-rs/anvil)`)));
      process.once("exit", () => reject(new Error("anvil ended before it named its port")));
      createInterface({ input: process.stdout }).on("line", (line) => {
        if (line.startsWith("Listening on ")) resolve(`http://${line.slice("Listening on ".length).trim()}`);
      });
    });
    process.removeAllListeners("exit");
    return new Anvil(process, url, chainId);
  }

  /** A JSON-RPC call; an error of the node is thrown. */
  async rpc(method, params = []) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(this.url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { result, error } = await response.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** An account's balance in wei. */
  async balance(address) {
    return BigInt(await this.rpc("eth_getBalance", [address, "latest"]));
  }

  setBalance(address, wei) {
    return this.rpc("anvil_setBalance", [address, `0x${BigInt(wei).toString(16)}`]);
  }

  /** Whether transactions are mined at once, or wait for `mine`. */
  setAutomine(automine) {
    return this.rpc("evm_setAutomine", [automine]);
  }

  mine() {
    return this.rpc("evm_mine");
  }

  /** The receipt of a transaction, once it is mined. */
  receipt(hash) {
    return until(`the receipt of ${hash}`, () => this.rpc("eth_getTransactionReceipt", [hash]));
  }

  stop() {
    this.#process.kill();
  }
}

/** The program that ANVIL names, the one of `@foundry-rs/anvil` in the project or beside this package, or the one on the PATH. */
function program() {
  if (process.env.ANVIL) return process.env.ANVIL;
  const machine = { x64: "amd64", arm64: "arm64" }[process.arch] ?? process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${machine}`;
  for (const folder of [process.cwd(), import.meta.dirname, join(import.meta.dirname, "../../crate/nodes")]) {
    try {
      const found = join(createRequire(join(folder, "x.js")).resolve(`${name}/package.json`), "../bin/anvil");
      if (existsSync(found)) return found;
    } catch {
      // Not installed there.
    }
  }
  return "anvil";
}
