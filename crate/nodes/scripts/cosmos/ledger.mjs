// Accounts, sequences and coins of a Cosmos chain, behind the REST interface of its nodes. Checked, in the order and the
// words of the SDK: form, whether the account is there, the fee's coins, the sequence, the signature (by CosmJS), and
// when a block is made the coins of bank sends. Not checked: gas, the minimum fee, the effects of other messages, which
// count as done. So "confirmed" here means a valid signature at the right sequence, not a chain's confirmation.
import { fromBase64, fromHex, toBech32, toHex } from "@cosmjs/encoding";
import { sha256 } from "@cosmjs/crypto";
import { decodeTxRaw } from "@cosmjs/proto-signing";
import { read } from "./transaction.mjs";

const TXS = "/cosmos/tx/v1beta1/txs";
const ACCOUNTS = "/cosmos/auth/v1beta1/accounts/";
const BALANCES = "/cosmos/bank/v1beta1/balances/";

/** A refusal of the SDK's: its code in the codespace `sdk`. */
class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const error = (status, code, message) => ({ status, body: { code, message, details: [] } });

export class Ledger {
  /** Whether every transaction is mined at once, or at `mine`. */
  automine = true;
  /** Mined transactions, oldest first. */
  transactions = [];
  #accounts = new Map();
  #waiting = new Map();
  #height = 1;
  #chain;

  constructor(chain) {
    this.#chain = chain;
  }

  fund(address, denom, amount) {
    const account = this.#accounts.get(address) ?? { number: this.#accounts.size + 1, sequence: 0, ahead: 0, coins: new Map() };
    account.coins.set(denom, (account.coins.get(denom) ?? 0n) + amount);
    this.#accounts.set(address, account);
    return this.account(address);
  }

  account(address) {
    const { number, sequence, coins } = this.#accounts.get(address) ?? {};
    return { account_number: number, sequence, coins: Object.fromEntries(coins ?? []) };
  }

  mine() {
    this.#height += 1;
    for (const [id, { raw, seen }] of this.#waiting) this.#execute(id, raw, seen);
    this.#waiting.clear();
  }

  answer({ method, path, body }) {
    if (method === "POST" && path === TXS) return this.#broadcast(body);
    if (method !== "GET") return error(501, 12, "Not Implemented");
    if (path.startsWith(`${TXS}/`)) return this.#lookUp(path.slice(TXS.length + 1));
    if (path.startsWith(ACCOUNTS)) return this.#showAccount(path.slice(ACCOUNTS.length));
    if (path.startsWith(BALANCES)) return this.#showBalances(path.slice(BALANCES.length));
    if (path === "/cosmos/base/tendermint/v1beta1/node_info") {
      return { status: 200, body: { default_node_info: { network: this.#chain.chain_id }, application_version: {} } };
    }
    return error(501, 12, "Not Implemented");
  }

  #broadcast(body) {
    if (body?.mode !== "BROADCAST_MODE_SYNC") return error(400, 3, "unsupported broadcast mode");
    let bytes;
    try {
      bytes = fromBase64(body.tx_bytes);
    } catch (problem) {
      return error(400, 3, problem.message);
    }
    const id = toHex(sha256(bytes)).toUpperCase();
    const answer = (code, raw_log) => ({
      status: 200,
      body: { tx_response: { height: "0", txhash: id, codespace: code ? "sdk" : "", code, data: "", raw_log, logs: [], gas_wanted: "0", gas_used: "0", tx: null, timestamp: "", events: [] } },
    });
    try {
      if (this.#waiting.has(id)) throw new Refusal(19, "tx already in mempool");
      const seen = this.#check(bytes);
      this.#waiting.set(id, { raw: body.tx_bytes, seen });
    } catch (refusal) {
      if (refusal instanceof Refusal) return answer(refusal.code, refusal.message);
      throw refusal;
    }
    if (this.automine) this.mine();
    return answer(0, "[]");
  }

  // As the SDK's ante handler does before a transaction enters the mempool.
  #check(bytes) {
    const { chain_id, hrp } = this.#chain;
    const transaction = toHex(bytes);
    // The signer is needed before the account's number is known, which the signature covers.
    const first = this.#decode(() => read({ transaction, hrp, chain_id, account_number: "0" }));
    const { authInfo, body } = decodeTxRaw(bytes);
    if (body.timeoutHeight && body.timeoutHeight < this.#height) throw new Refusal(30, "tx timeout height");
    const account = this.#accounts.get(first.signer);
    if (!account) throw new Refusal(9, `account ${first.signer} does not exist: unknown address`);
    const expected = account.sequence + account.ahead;
    if (BigInt(first.sequence) !== BigInt(expected)) {
      throw new Refusal(32, `account sequence mismatch, expected ${expected}, got ${first.sequence}: incorrect account sequence`);
    }
    for (const { denom, amount } of authInfo.fee.amount) {
      const has = account.coins.get(denom) ?? 0n;
      if (has < BigInt(amount)) throw new Refusal(5, `${has}${denom} is smaller than ${amount}${denom}: insufficient funds`);
    }
    const seen = this.#decode(() => read({ transaction, hrp, chain_id, account_number: String(account.number) }));
    if (!seen.accepted) {
      throw new Refusal(4, `signature verification failed; please verify account number (${account.number}) and chain-id (${chain_id}): unauthorized`);
    }
    account.ahead += 1;
    return seen;
  }

  #decode(reading) {
    try {
      return reading();
    } catch (problem) {
      throw new Refusal(2, `tx parse error: ${problem.message}`);
    }
  }

  // The fee and the sequence are used whether the messages succeed or not.
  #execute(id, raw, { signer, fee, messages }) {
    const account = this.#accounts.get(signer);
    account.sequence += 1;
    account.ahead -= 1;
    for (const coin of fee.amount) take(account, coin);
    const failure = this.#send(messages);
    this.transactions.push({ id, raw, block: this.#height, failure });
  }

  // All bank sends, or none; then returns the failure.
  #send(messages) {
    const sends = messages.filter(({ type }) => type.endsWith(".MsgSend")).map(({ value }) => ({
      from: this.#address(value.fromAddress ?? value.from_address),
      to: this.#address(value.toAddress ?? value.to_address),
      coins: value.amount,
    }));
    for (const { from, coins } of sends) {
      for (const { denom, amount } of coins) {
        const has = this.#accounts.get(from)?.coins.get(denom) ?? 0n;
        if (has < BigInt(amount)) {
          return `failed to execute message; message index: 0: spendable balance ${has}${denom} is smaller than ${amount}${denom}: insufficient funds`;
        }
      }
    }
    for (const { from, to, coins } of sends) {
      for (const coin of coins) {
        take(this.#accounts.get(from), coin);
        this.fund(to, coin.denom, BigInt(coin.amount));
      }
    }
    return null;
  }

  // THORChain's messages have the bytes of an address.
  #address(text) {
    return /^[0-9a-f]{40}$/.test(text) ? toBech32(this.#chain.hrp, fromHex(text)) : text;
  }

  #lookUp(id) {
    const found = this.transactions.find((transaction) => transaction.id === id.toUpperCase());
    if (!found) return error(404, 5, `tx not found: ${id}`);
    const { block, failure } = found;
    const result = failure ? { codespace: "sdk", code: 5, raw_log: failure } : { codespace: "", code: 0, raw_log: "" };
    return { status: 200, body: { tx_response: { height: String(block), txhash: found.id, ...result } } };
  }

  #showAccount(address) {
    const { account_number, sequence } = this.account(address);
    if (account_number === undefined) return error(404, 5, `account ${address} not found`);
    const account = { "@type": "/cosmos.auth.v1beta1.BaseAccount", address, pub_key: null };
    return { status: 200, body: { account: { ...account, account_number: String(account_number), sequence: String(sequence) } } };
  }

  #showBalances(address) {
    const coins = Object.entries(this.account(address).coins);
    return { status: 200, body: { balances: coins.map(([denom, amount]) => ({ denom, amount: String(amount) })), pagination: null } };
  }
}

function take(account, { denom, amount }) {
  account.coins.set(denom, (account.coins.get(denom) ?? 0n) - BigInt(amount));
}
