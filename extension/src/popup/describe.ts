// Texts for a call: its intent, its progress and its outcome.

import type { ActionResult } from "../../generated/ActionResult";
import type { Call } from "../../generated/Call";
import type { Delivery } from "../../generated/Delivery";
import type { Source } from "../../generated/Source";
import { sentenceOf } from "./errors";
import { count } from "./format";

export type Progress = "running" | "waiting" | "done" | "failed";

export function progressOf({ state }: Call): Progress {
  switch (state.name) {
    case "received":
    case "approved":
      return "running";
    case "waiting":
      return "waiting";
    case "done":
      return state.result.success ? "done" : "failed";
  }
}

export const PROGRESS_WORDS: Record<Progress, string> = {
  running: "Running",
  waiting: "Waiting for you",
  done: "Done",
  failed: "Not done",
};

export const DELIVERY_WORDS: Record<Delivery, string> = {
  none: "stays here",
  pending: "being sent to the agent",
  delivered: "delivered to the agent",
  refused: "rejected by the agent",
};

export function sourceWords(source: Source): string {
  switch (source.kind) {
    case "agent":
      return "the agent";
    case "user":
      return "you";
    case "dapp":
      return source.origin;
  }
}

/** What a tool does to its entries, before and after. */
interface Verb {
  will: (amount: number) => string;
  did: (amount: number) => string;
}

const contacts = (amount: number): string => count(amount, "contact");
const chains = (amount: number): string => count(amount, "chain");
const tokens = (amount: number): string => count(amount, "token");

const transactions = (amount: number): string => count(amount, "transaction");

const VERBS: Record<string, Verb> = {
  get_address_book: { will: () => "Read your contacts", did: (n) => `Found ${contacts(n)}` },
  add_address_book: { will: (n) => `Save ${contacts(n)}`, did: (n) => `Saved ${contacts(n)}` },
  add_chain: { will: (n) => `Add ${chains(n)}`, did: (n) => `Added ${chains(n)}` },
  add_token: { will: (n) => `Add ${tokens(n)}`, did: (n) => `Added ${tokens(n)}` },
  remove_token: { will: (n) => `Remove ${tokens(n)}`, did: (n) => `Removed ${tokens(n)}` },
  sign_transaction_bundle: { will: (n) => `Sign ${transactions(n)}`, did: (n) => `Sent ${transactions(n)}` },
  delete_address_book: { will: (n) => `Delete ${contacts(n)}`, did: (n) => `Deleted ${contacts(n)}` },
};

/** Whether the call signs: its bundle has more details than its input. */
export const isBundle = ({ tool }: Call): boolean => tool === "sign_transaction_bundle";

/** The sender's title, or our own text if there is none. */
export function titleOf(call: Call): string {
  return call.title || intentOf(call) || call.type || "Unnamed action";
}

/** What the tool will do, from its input and not from the sender's title. */
export function intentOf(call: Call): string | undefined {
  return VERBS[call.tool ?? ""]?.will(listIn(call.params).length);
}

export function outcomeOf(call: Call): string | undefined {
  if (call.state.name !== "done") return undefined;
  const { result } = call.state;
  if (!result.success) return sentenceOf(result.error ?? "failed");
  const succeeded = listIn(result.data).filter((row) => row["success"] !== false).length;
  return VERBS[call.tool ?? ""]?.did(succeeded);
}

export interface Row {
  title: string;
  chain: string;
  address: string;
  error?: string;
}

/** The entries of a call, each with its result once known. */
export function rowsOf(call: Call): Row[] {
  const asked = listIn(call.params);
  const result = call.state.name === "done" ? call.state.result : undefined;
  const answered = listIn(result?.data);
  if (asked.length === 0) return answered.map((row) => rowOf(row));
  return asked.map((row, i) => rowOf(row, answered[i]));
}

function rowOf(asked: Fields, answered: Fields = {}): Row {
  const text = (name: string): string => {
    const value = answered[name] ?? asked[name];
    return typeof value === "string" ? value : "";
  };
  const title = text("title") || text("ticker") || text("id");
  // A token is identified by its contract; the vault's own address is the same for all tokens.
  const row = { title, chain: text("chain"), address: text("contract_address") || text("address") };
  const error = answered["success"] === false ? text("error") : "";
  return error === "" ? row : { ...row, error: sentenceOf(error) };
}

type Fields = Record<string, unknown>;

/** The list in an array tool's input or output. */
function listIn(value: ActionResult["data"]): Fields[] {
  const fields: Fields = isFields(value) ? value : {};
  const list = ["results", "entries", "tokens", "chains", "transactions"].map((name) => fields[name]).find(Array.isArray);
  return Array.isArray(list) ? list.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
