// Texts for a call: its intent, its progress and its outcome.

import type { ActionResult } from "../../generated/ActionResult";
import type { Call } from "../../generated/Call";
import type { Delivery } from "../../generated/Delivery";
import type { Source } from "../../generated/Source";
import { sentenceOf } from "./errors";
import { plural, t, type MessageKey } from "./i18n";

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
  running: t("call_running"),
  waiting: t("call_waiting"),
  done: t("call_done"),
  failed: t("call_failed"),
};

export const DELIVERY_WORDS: Record<Delivery, string> = {
  none: t("call_delivery_none"),
  pending: t("call_delivery_pending"),
  delivered: t("call_delivery_delivered"),
  refused: t("call_delivery_refused"),
};

export function sourceWords(source: Source): string {
  switch (source.kind) {
    case "agent":
      return t("common_by_agent");
    case "user":
      return t("common_by_user");
    case "dapp":
      return source.origin;
  }
}

/** What a tool does to its entries, before and after. */
interface Verb {
  will: (amount: number) => string;
  did: (amount: number) => string;
}

const counted =
  (one: MessageKey, other: MessageKey) =>
  (amount: number): string =>
    t(plural(amount, one, other), amount);

const VERBS: Record<string, Verb> = {
  get_address_book: {
    will: () => t("call_read_contacts"),
    did: counted("call_found_contacts_one", "call_found_contacts_other"),
  },
  add_address_book: {
    will: counted("call_save_contacts_one", "call_save_contacts_other"),
    did: counted("call_saved_contacts_one", "call_saved_contacts_other"),
  },
  add_chain: {
    will: counted("call_add_chains_one", "call_add_chains_other"),
    did: counted("call_added_chains_one", "call_added_chains_other"),
  },
  add_token: {
    will: counted("call_add_tokens_one", "call_add_tokens_other"),
    did: counted("call_added_tokens_one", "call_added_tokens_other"),
  },
  remove_token: {
    will: counted("call_remove_tokens_one", "call_remove_tokens_other"),
    did: counted("call_removed_tokens_one", "call_removed_tokens_other"),
  },
  sign_transaction_bundle: {
    will: counted("call_sign_transactions_one", "call_sign_transactions_other"),
    did: counted("call_sent_transactions_one", "call_sent_transactions_other"),
  },
  delete_address_book: {
    will: counted("call_delete_contacts_one", "call_delete_contacts_other"),
    did: counted("call_deleted_contacts_one", "call_deleted_contacts_other"),
  },
};

/** Whether the call signs: its bundle has more details than its input. */
export const isBundle = ({ tool }: Call): boolean => tool === "sign_transaction_bundle";

/** The sender's title, or our own text if there is none. */
export function titleOf(call: Call): string {
  return call.title || intentOf(call) || call.type || t("call_unnamed");
}

/** What the tool will do, from its input and not from the sender's title. */
export function intentOf(call: Call): string | undefined {
  const { tool } = call;
  if (tool === null) return undefined;
  return VERBS[tool]?.will(listIn(call.params).length) ?? t("tools_call_intent", tool);
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
