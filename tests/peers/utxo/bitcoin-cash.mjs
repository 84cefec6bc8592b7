// bcash: a full node of Bitcoin Cash in this process, in memory, on a chain of its own (regtest).
//
// Its sendrawtransaction answers an id even for what it refuses; the verdict is the mempool's own. Written in 2019:
// later upgrades of the chain are not in it.
process.env.NODE_BACKEND = "js";
import { createRequire } from "node:module";
import { serve } from "../../../crate/nodes/scripts/lines.mjs";

const require = createRequire(import.meta.url);
// The database on disk does not load here and is not needed in memory.
const level = require.resolve("bdb/lib/level.js", { paths: [require.resolve("bcash")] });
require.cache[level] = { id: level, filename: level, loaded: true, exports: class {} };
const { FullNode, Address, Script, TX } = require("bcash");

const node = new FullNode({ network: "regtest", memory: true, workers: false, listen: false, httpPort: 0, indexTX: true });
await node.open();

const elsewhere = Address.fromHash(Buffer.alloc(20, 1), "pubkeyhash");
const heard = new Map();

async function mine(address = elsewhere) {
  const block = await node.miner.mineBlock(null, address);
  if (!(await node.chain.add(block))) throw new Error("the block was refused");
  return block;
}

// A coin behind each script, which must pay to a key, with enough blocks over them that they may be spent.
async function coins(scripts) {
  const found = [];
  for (const script of scripts) found.push(await coin(script));
  for (let count = 0; count < 100; count++) await mine();
  return found;
}

async function coin(hex) {
  const script = Script.fromRaw(Buffer.from(hex, "hex"));
  const block = await mine(script.getAddress());
  const tx = block.txs[0];
  return { id: tx.txid(), index: 0, value: tx.outputs[0].value, hex: tx.toRaw().toString("hex") };
}

async function submit(hex) {
  try {
    const tx = TX.fromRaw(Buffer.from(hex, "hex"));
    await node.mempool.addTX(tx);
    if (!node.mempool.has(tx.hash())) return { refused: "not in the mempool" };
    heard.set(tx.txid(), tx);
    return { accepted: tx.txid() };
  } catch (error) {
    return { refused: error.message };
  }
}

async function confirm(id) {
  const block = await mine();
  const tx = block.txs.find((tx) => tx.txid() === id);
  const outputs = (tx ?? heard.get(id)).outputs.map(({ value, script }) => ({ value, script: script.toRaw().toString("hex") }));
  return { confirmations: tx ? 1 : 0, outputs };
}

await serve(async ({ fund, send, block }) => {
  if (fund) return coins(fund);
  if (send) return submit(send);
  if (block) return confirm(block);
  throw new Error("not a question");
});
