// Payments one after the other, each mined before the next is sent: with viem as documented, and with only the two
// unavoidable requests.

import { createWalletClient, http, publicActions, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { mainnet } from "viem/chains";
import { timed, type Millis } from "./statistics";

export interface Sending {
  /** A payment with viem. */
  peer: Millis[];
  /** The same until the node has it. */
  peerSending: Millis[];
  /** A payment with the node alone: signed before, sent, and its receipt. */
  node: Millis[];
}

const TO: Hex = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
/** Polling interval for a receipt: a node that mines at once may answer before it has mined. */
const POLLING_MILLIS = 50;

/** Each time is the mean of `count` payments; the first round is discarded. */
export async function measureSending(url: string, key: Hex, count: number, rounds: number): Promise<Sending> {
  const account = privateKeyToAccount(key);
  const client = createWalletClient({ account, chain: mainnet, transport: http(url) }).extend(publicActions);

  async function byViem(): Promise<Millis> {
    let sending = 0;
    for (let payment = 0; payment < count; payment++) {
      const [time, hash] = await timed(() => client.sendTransaction({ to: TO, value: 1_000_000n }));
      sending += time;
      const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: POLLING_MILLIS });
      if (receipt.status !== "success") throw new Error(`${hash} is ${receipt.status}`);
    }
    return sending;
  }

  async function signed(): Promise<Hex[]> {
    const first = await client.getTransactionCount({ address: account.address });
    const payment = (index: number) => ({
      type: "eip1559" as const,
      chainId: mainnet.id,
      nonce: first + index,
      to: TO,
      value: 1_000_000n,
      gas: 21_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    return Promise.all(Array.from({ length: count }, (_, index) => account.signTransaction(payment(index))));
  }

  async function byNode(transactions: Hex[]): Promise<void> {
    for (const transaction of transactions) {
      const hash = await rpc(url, "eth_sendRawTransaction", transaction);
      while ((await rpc(url, "eth_getTransactionReceipt", hash)) === null);
    }
  }

  const times: Sending = { peer: [], peerSending: [], node: [] };
  for (let round = 0; round <= rounds; round++) {
    const [peer, sending] = await timed(byViem);
    const transactions = await signed();
    const [node] = await timed(() => byNode(transactions));
    if (round === 0) continue;
    times.peer.push(peer / count);
    times.peerSending.push(sending / count);
    times.node.push(node / count);
  }
  return times;
}

async function rpc(url: string, method: string, param: unknown): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [param] });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
