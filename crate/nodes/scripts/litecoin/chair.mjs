// The part of Blockchair's REST API that a wallet uses, for a node. The node decides whether a transaction is accepted
// and which coins are spent.

const known = (data, height) => ({ status: 200, body: { data, context: { code: 200, results: Object.keys(data).length, state: height } } });
const bad = (code, error, state) => ({ status: code, body: { data: null, context: { code, error, state } } });

export class Chair {
  /** Whether every transaction is mined at once, or at `mine`. */
  automine = true;
  #rpc;
  /** The block in which each coin was spent, and how far the blocks were read for that. */
  #spent = new Map();
  #read = 0;
  /** Mined transactions without coinbase ones. */
  #mined = [];

  constructor(rpc) {
    this.#rpc = rpc;
  }

  async mine() {
    await this.#rpc("generatetodescriptor", 1, "raw(51)");
  }

  async transactions() {
    await this.#catchUp();
    return this.#mined;
  }

  async answer({ method, path, body }) {
    if (method === "POST" && path === "/push/transaction") return this.#push(body?.data);
    const [, one, many] = /^\/dashboards\/(?:transaction\/([0-9a-f]{64})|transactions\/([0-9a-f,]+))$/.exec(path) ?? [];
    if (method !== "GET" || !(one ?? many)) return bad(404, "Invalid URL");
    return this.#look((one ?? many).split(","));
  }

  async #push(hex) {
    if (typeof hex !== "string") return bad(400, "Invalid transaction. Error: no data");
    try {
      const id = await this.#rpc("sendrawtransaction", hex);
      if (this.automine) await this.mine();
      return { status: 200, body: { data: { transaction_hash: id }, context: { code: 200 } } };
    } catch (error) {
      // The node's message, without its code.
      return bad(400, `Invalid transaction. Error: ${error.message.replace(/^-\d+: /, "")}`);
    }
  }

  async #look(ids) {
    await this.#catchUp();
    const height = await this.#rpc("getblockcount");
    const data = {};
    for (const id of ids) {
      const transaction = await this.#transaction(id);
      if (transaction) data[id] = transaction;
    }
    return Object.keys(data).length ? known(data, height) : bad(404, "not found", height);
  }

  async #transaction(id) {
    let raw;
    try {
      raw = await this.#rpc("getrawtransaction", id, true);
    } catch (error) {
      if (error.message.startsWith("-5:")) return undefined;
      throw error;
    }
    const block = raw.blockhash ? (await this.#rpc("getblockheader", raw.blockhash)).height : -1;
    const outputs = [];
    for (const { n: index, value, scriptPubKey } of raw.vout) {
      const unspent = await this.#rpc("gettxout", id, index, true);
      const output = { block_id: block, transaction_hash: id, index, value: Math.round(value * 1e8), script_hex: scriptPubKey.hex };
      const never = scriptPubKey.type === "nulldata" || unspent;
      outputs.push({ ...output, is_spent: !never, spending_block_id: never ? null : this.#spent.get(`${id}:${index}`) ?? -1 });
    }
    return { transaction: { block_id: block, hash: id, size: raw.size }, inputs: [], outputs };
  }

  async #catchUp() {
    const last = await this.#rpc("getblockcount");
    while (this.#read < last) {
      this.#read += 1;
      const { tx } = await this.#rpc("getblock", await this.#rpc("getblockhash", this.#read), 2);
      for (const { txid, hex, vin } of tx) {
        const coins = vin.filter((input) => input.txid);
        for (const { txid: from, vout } of coins) this.#spent.set(`${from}:${vout}`, this.#read);
        // Litecoin ends its blocks with a transaction for private coins (MWEB).
        if (coins.length) this.#mined.push({ id: txid, raw: hex, block: this.#read, failure: null });
      }
    }
  }
}
