// The part of Solana's JSON-RPC that a wallet uses, for LiteSVM. The machine decides whether a transaction is accepted:
// first in a simulation, as in a node's preflight, then in execution. It is final at once, as there are no votes here.
import { getBase58Decoder, getTransactionDecoder } from "@solana/kit";
import { FailedTransactionMetadata } from "litesvm";

const PREFLIGHT_FAILURE = -32002;
const BAD_SIGNATURE = -32003;
const NO_SUCH_METHOD = -32601;
const BAD_PARAMS = -32602;

class Refusal extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }
}

const base58 = (bytes) => getBase58Decoder().decode(bytes);

// A failure as the RPC writes it. The addon gives a number for most, and the name only in its description.
function failureOf(failed) {
  const [, name, index, inner, code] = /err: (\w+)(?:\((\d+)(?:, (\w+)(?:\((\d+)\))?)?\))?/.exec(String(failed));
  if (index === undefined) return name;
  if (inner === undefined) return { [name]: Number(index) };
  return { [name]: [Number(index), code === undefined ? inner : { [inner]: Number(code) }] };
}

/** An account as the RPC writes it; `null` for one that is not there. */
function written(account, { encoding }) {
  if (encoding !== "base64") throw new Refusal(BAD_PARAMS, "only base64 is supported here");
  if (!account.exists) return null;
  const { lamports, programAddress: owner, data, executable } = account;
  return { lamports: Number(lamports), owner, data: [Buffer.from(data).toString("base64"), "base64"], executable, rentEpoch: 0, space: data.length };
}

function decoded(params) {
  const [text, options = {}] = params;
  if (typeof text !== "string" || options.encoding !== "base64") throw new Refusal(BAD_PARAMS, "only base64 is supported here");
  const bytes = Buffer.from(text, "base64");
  try {
    return { text, options, transaction: getTransactionDecoder().decode(bytes) };
  } catch (error) {
    throw new Refusal(BAD_PARAMS, `failed to deserialize solana_transaction: ${error.message}`);
  }
}

export class Node {
  /** Whether accepted transactions run at once, or at `mine`. */
  automine = true;
  /** Executed transactions, oldest first. */
  transactions = [];
  #waiting = new Map();
  #svm;

  constructor(svm) {
    this.#svm = svm;
  }

  mine() {
    for (const [id, { text, transaction }] of this.#waiting) this.#run(id, text, transaction);
    this.#waiting.clear();
  }

  answer({ method, body }) {
    if (method !== "POST" || typeof body?.method !== "string") return { status: 400, body: {} };
    const { id, method: name, params = [] } = body;
    try {
      const ask = Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined;
      if (!ask) throw new Refusal(NO_SUCH_METHOD, "Method not found");
      return { status: 200, body: { jsonrpc: "2.0", id, result: ask(params) } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, data } = error;
      return { status: 200, body: { jsonrpc: "2.0", id, error: { code, message, data } } };
    }
  }

  #methods = {
    sendTransaction: (params) => this.#send(decoded(params)),
    simulateTransaction: (params) => this.#simulate(decoded(params)),
    getSignatureStatuses: ([ids]) => this.#value(ids.map((id) => this.#status(id))),
    getLatestBlockhash: () => this.#value({ blockhash: this.#svm.latestBlockhash(), lastValidBlockHeight: Number(this.#slot + 150n) }),
    isBlockhashValid: ([blockhash]) => this.#value(blockhash === this.#svm.latestBlockhash()),
    getMultipleAccounts: ([addresses, options]) => this.#value(addresses.map((address) => written(this.#svm.getAccount(address), options))),
    getBalance: ([address]) => this.#value(Number(this.#svm.getBalance(address) ?? 0n)),
    getSlot: () => Number(this.#slot),
    getHealth: () => "ok",
  };

  get #slot() {
    return this.#svm.getClock().slot;
  }

  #value(value) {
    return { context: { apiVersion: "3.0.0", slot: Number(this.#slot) }, value };
  }

  #status(id) {
    const found = this.transactions.find((transaction) => transaction.id === id);
    if (!found) return null;
    const { block: slot, failure: err } = found;
    return { slot, confirmations: null, err, status: err === null ? { Ok: null } : { Err: err }, confirmationStatus: "finalized" };
  }

  #send({ text, options, transaction }) {
    const missing = Object.values(transaction.signatures).some((signature) => !signature);
    if (missing) throw new Refusal(BAD_SIGNATURE, "Transaction signature verification failure");
    const id = base58(Object.values(transaction.signatures)[0]);
    if (this.#waiting.has(id)) return id;
    const trial = this.#svm.simulateTransaction(transaction);
    if (trial instanceof FailedTransactionMetadata) {
      const err = failureOf(trial);
      if (err === "SignatureFailure") throw new Refusal(BAD_SIGNATURE, "Transaction signature verification failure");
      // Without a preflight a transaction that runs and fails is accepted, and costs the fee.
      if (!options.skipPreflight || typeof err === "string") {
        const told = typeof err === "string" ? err : JSON.stringify(err);
        throw new Refusal(PREFLIGHT_FAILURE, `Transaction simulation failed: ${told}`, { err, logs: trial.meta().logs(), accounts: null, unitsConsumed: 0 });
      }
    }
    if (this.automine) this.#run(id, text, transaction);
    else this.#waiting.set(id, { text, transaction });
    return id;
  }

  #run(id, text, transaction) {
    const result = this.#svm.sendTransaction(transaction);
    const failure = result instanceof FailedTransactionMetadata ? failureOf(result) : null;
    this.#svm.warpToSlot(this.#slot + 1n);
    // A transaction that fails before it runs (old blockhash, duplicate) is in no block.
    if (failure === null || typeof failure !== "string") {
      this.transactions.push({ id, raw: text, block: Number(this.#slot), failure });
    }
  }

  #simulate({ options, transaction }) {
    const check = options.sigVerify === true;
    if (check && options.replaceRecentBlockhash) throw new Refusal(BAD_PARAMS, "sigVerify may not be used with replaceRecentBlockhash");
    const filled = Object.entries(transaction.signatures).map(([of, signature]) => [of, signature ?? new Uint8Array(64).fill(1)]);
    // A blockhash that is not checked is as good as one that was replaced.
    this.#svm.withSigverify(check).withBlockhashCheck(!options.replaceRecentBlockhash);
    try {
      const result = this.#svm.simulateTransaction({ ...transaction, signatures: Object.fromEntries(filled) });
      const failed = result instanceof FailedTransactionMetadata;
      const meta = result.meta();
      const after = failed ? [] : result.postAccounts();
      const asked = options.accounts?.addresses.map((address) => {
        const changed = after.find((account) => account.address === address);
        return written(changed ? { exists: changed.lamports > 0n, ...changed } : this.#svm.getAccount(address), options.accounts);
      });
      const accounts = failed ? null : (asked ?? null);
      return this.#value({ err: failed ? failureOf(result) : null, logs: meta.logs(), accounts, unitsConsumed: Number(meta.computeUnitsConsumed()) });
    } finally {
      this.#svm.withSigverify(true).withBlockhashCheck(true);
    }
  }
}
