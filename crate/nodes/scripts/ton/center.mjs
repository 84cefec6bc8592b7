// The part of toncenter's API that a wallet uses, for the sandbox: version 2 accepts a message and knows the wallet,
// version 3 finds a message's transaction. The wallet's own code decides whether a message is accepted.
import { Address, Cell, loadMessage } from "@ton/core";

const NOT_TAKEN = "LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not accepted";

const good = (result) => ({ status: 200, body: { ok: true, result } });
const bad = (status, error) => ({ status, body: { ok: false, error, code: status } });

// The transaction of a message, as version 3 writes it.
function written({ transaction, account, letter, block }) {
  const { description, lt, now, totalFees } = transaction;
  const { computePhase: compute, actionPhase: action } = description;
  return {
    account: account.toRawString().toUpperCase(),
    hash: transaction.hash().toString("base64"),
    lt, now, mc_block_seqno: block, total_fees: totalFees.coins,
    description: {
      type: "ord",
      aborted: description.aborted,
      destroyed: description.destroyed,
      compute_ph: { skipped: compute.type === "skipped", success: compute.success, exit_code: compute.exitCode },
      action: action && { success: action.success, result_code: action.resultCode, skipped_actions: action.skippedActions },
    },
    in_msg: { hash: letter.toString("base64") },
    emulated: false,
  };
}

export class Center {
  /** Whether a message is delivered at once, or at `mine`. */
  automine = true;
  /** The delivered messages, oldest first. */
  transactions = [];
  #found = new Map();
  #waiting = new Map();
  #block = 1;
  #chain;

  constructor(chain) {
    this.#chain = chain;
  }

  async mine() {
    for (const [id, boc] of this.#waiting) {
      // A message that became invalid while it waited is dropped, as in a network.
      await this.#deliver(id, boc).catch(() => {});
    }
    this.#waiting.clear();
  }

  async answer({ method, path, query, body }) {
    if (method === "POST" && path === "/v2/sendBocReturnHash") return this.#send(body?.boc);
    if (method === "GET" && path === "/v2/getWalletInformation") return this.#wallet(query.get("address"));
    if (method === "GET" && path === "/v3/transactionsByMessage") return this.#search(query.get("msg_hash"));
    if (method === "GET" && path === "/v3/masterchainInfo") {
      return { status: 200, body: { last: { workchain: -1, seqno: this.#block, gen_utime: String(this.#chain.now) } } };
    }
    return bad(404, "Not Found");
  }

  async #send(boc) {
    let cell;
    try {
      cell = Cell.fromBase64(boc);
    } catch (error) {
      return bad(422, `Failed to decode BoC: ${error.message}`);
    }
    const id = cell.hash().toString("hex");
    if (this.#waiting.has(id)) return bad(500, "LITE_SERVER_UNKNOWN: duplicate message");
    try {
      if (this.automine) await this.#deliver(id, boc);
      else await this.#hold(id, boc);
    } catch (error) {
      // An error of the machine is an answer; any other is a bug or a malformed message.
      if (error.exitCode === undefined) return bad(500, `${NOT_TAKEN}\n${error.message}`);
      return bad(500, `${NOT_TAKEN}\ninbound external message rejected by account: exitcode=${error.exitCode}, VM Log (truncated):\n...`);
    }
    return good({ "@type": "raw.extMessageInfo", hash: cell.hash().toString("base64") });
  }

  async #deliver(id, boc) {
    const message = loadMessage(Cell.fromBase64(boc).beginParse());
    const { transactions } = await this.#chain.sendMessage(message);
    const [transaction] = transactions;
    this.#block += 1;
    this.#found.set(id, written({ transaction, account: message.info.dest, letter: Buffer.from(id, "hex"), block: this.#block }));
    const { aborted, computePhase } = transaction.description;
    this.transactions.push({ id, raw: boc, block: this.#block, failure: aborted ? `exit ${computePhase.exitCode}` : null });
  }

  // A node runs the wallet's code before it forwards a message, and discards the result.
  async #hold(id, boc) {
    const before = this.#chain.snapshot();
    try {
      await this.#chain.sendMessage(loadMessage(Cell.fromBase64(boc).beginParse()));
    } finally {
      await this.#chain.loadFrom(before);
    }
    this.#waiting.set(id, boc);
  }

  #search(hash) {
    if (!hash) return { status: 422, body: { error: "msg_hash is missing" } };
    // Hex, or base64 of either alphabet.
    const id = /^[0-9a-fA-F]{64}$/.test(hash) ? hash.toLowerCase() : Buffer.from(hash, "base64").toString("hex");
    const found = this.#found.get(id);
    return { status: 200, body: { transactions: found ? [found] : [], address_book: {} } };
  }

  async #wallet(text) {
    let address;
    try {
      address = Address.parse(text);
    } catch {
      return bad(422, "Incorrect address");
    }
    const { balance, accountState } = await this.#chain.getContract(address);
    const state = { uninit: "uninitialized", active: "active", frozen: "frozen" }[accountState?.type ?? "uninit"];
    if (state !== "active") return good({ wallet: false, balance, account_state: state });
    try {
      const seqno = (await this.#chain.runGetMethod(address, "seqno")).stackReader.readNumber();
      return good({ wallet: true, balance, account_state: state, seqno });
    } catch {
      return good({ wallet: false, balance, account_state: state });
    }
  }
}
