// Asset Hub's own runtime, as it was started on the Rococo test network, in a node without a network: chopsticks. The
// runtime decides about signature, nonce, era, version and fee; a block is made when it is asked for.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiPromise, HttpProvider } from "@polkadot/api";
import { chainSpec } from "@substrate/connect-known-chains/rococo_v2_2_asset_hub";
import { serve } from "../../../crate/nodes/scripts/lines.mjs";

// What chopsticks tells must not get between our lines; it looks for this when it is loaded.
process.env.LOG_LEVEL = "fatal";
const { setupWithServer } = await import("@acala-network/chopsticks");

const folder = mkdtempSync(join(tmpdir(), "countersign-asset-hub-"));
const genesis = join(folder, "genesis.json");
writeFileSync(genesis, chainSpec);
const node = await setupWithServer({
  genesis,
  host: "127.0.0.1",
  port: 0,
  "build-block-mode": "Manual",
  "mock-signature-host": false,
});
rmSync(folder, { recursive: true });

const address = `http://${node.addr}`;
const api = await ApiPromise.create({ provider: new HttpProvider(address), noInitWarn: true });
const rpc = async (method, params) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return (await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body })).json();
};

const answers = {
  // What a wallet asks for before it builds a transfer.
  async state({ account }) {
    const head = await api.rpc.chain.getHeader();
    return {
      genesis_hash: api.genesisHash.toHex(),
      block_hash: head.hash.toHex(),
      block_number: head.number.toString(),
      spec_version: api.runtimeVersion.specVersion.toNumber(),
      transaction_version: api.runtimeVersion.transactionVersion.toNumber(),
      nonce: (await api.rpc.system.accountNextIndex(account)).toString(),
    };
  },
  async balance({ account }) {
    return { free: (await api.query.system.account(account)).data.free.toString() };
  },
  async fund({ account, amount }) {
    await rpc("dev_setStorage", [{ System: { Account: [[[account], { providers: 1, data: { free: amount } }]] } }]);
    return answers.balance({ account });
  },
  // A request as the wallet would send it, and the answer as it came.
  async post({ body }) {
    const response = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body });
    return { status: response.status, body: await response.text() };
  },
  // A new block: its extrinsics by hash, and what they did.
  async block() {
    const { result: hash } = await rpc("dev_newBlock", []);
    const { block } = await api.rpc.chain.getBlock(hash);
    const events = await (await api.at(hash)).query.system.events();
    return {
      extrinsics: block.extrinsics.map((extrinsic) => extrinsic.hash.toHex()),
      events: events.map(({ event }) => `${event.section}.${event.method}`),
    };
  },
};

await serve((question) => answers[question.ask](question));
