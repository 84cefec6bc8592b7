// A Litecoin node with its own chain (regtest): all rules of a node, and blocks on demand. The REST API of Blockchair
// is ours: `chair.mjs`.
//
// A shell runs the node and stops it when this script ends in any way.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "./http.mjs";
import { serve } from "./lines.mjs";
import { Chair } from "./litecoin/chair.mjs";
import { scriptOf } from "./litecoin/address.mjs";

const folder = mkdtempSync(join(tmpdir(), "litecoin-"));
const port = await freePort();
const options = [
  "-regtest", `-datadir=${folder}`, "-server", "-listen=0", "-txindex=1", "-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1",
  `-rpcport=${port}`, "-rpcuser=u", "-rpcpassword=p", "-fallbackfee=0.0001", "-printtoconsole=0",
];
const keeper = 'folder="$1"; shift; "$@" & node=$!; cat >/dev/null; kill $node; wait $node; rm -rf "$folder"';
spawn("sh", ["-c", keeper, "sh", folder, "litecoind", ...options], { stdio: ["pipe", "ignore", "ignore"], detached: true });
await rpc("getblockchaininfo");

const chair = new Chair(rpc);
const url = await listen((request) => chair.answer(request));

const commands = {
  url: () => ({ url }),
  automine: ({ on }) => ((chair.automine = on), {}),
  mine: () => chair.mine().then(() => ({})),
  transactions: async () => ({ transactions: await chair.transactions() }),
  fund: async ({ address }) => (await coins([scriptOf(address)]))[0],
};

await serve(async ({ command, fund, send, block, ...question }) => {
  if (command) return commands[command](question);
  if (fund) return coins(fund);
  if (send) return submit(send);
  if (block) return mine(block);
  throw new Error("not a request");
});

// Mines an output for each script and enough blocks to spend them.
async function coins(scripts) {
  const found = [];
  for (const script of scripts) found.push(await coin(script));
  await rpc("generatetodescriptor", 100, "raw(51)");
  return found;
}

async function coin(script) {
  const [hash] = await rpc("generatetodescriptor", 1, `raw(${script})`);
  const id = (await rpc("getblock", hash)).tx[0];
  const { hex, vout } = await rpc("getrawtransaction", id, true);
  const index = vout.findIndex((output) => output.scriptPubKey.hex === script);
  return { id, index, hex, value: Math.round(vout[index].value * 1e8) };
}

async function submit(hex) {
  try {
    return { accepted: await rpc("sendrawtransaction", hex) };
  } catch (error) {
    return { refused: error.message };
  }
}

// Mines the waiting transactions and returns the status of one.
async function mine(id) {
  await rpc("generatetodescriptor", 1, "raw(51)");
  const { confirmations, vout } = await rpc("getrawtransaction", id, true);
  const outputs = vout.map(({ value, scriptPubKey }) => ({ value: Math.round(value * 1e8), script: scriptPubKey.hex }));
  return { confirmations: confirmations ?? 0, outputs };
}

// Waits for a node that is just starting.
async function rpc(method, ...params) {
  for (let tries = 0; ; tries++) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from("u:p").toString("base64")}` },
        body: JSON.stringify({ id: 1, method, params }),
      });
      const { result, error } = await response.json();
      if (error?.code === -28) throw new TypeError("starting");
      if (error) throw new Error(`${error.code}: ${error.message}`);
      return result;
    } catch (error) {
      if (!(error instanceof TypeError) || tries === 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
