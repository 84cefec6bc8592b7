// Reads what a page may send. Anything can stand in a message: it is read field by field, and never trusted.

import type { Failure } from "./message";

/** A request of the page, or why it is refused before the worker hears of it. */
export interface PageRequest {
  /** The page's own. */
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
  /** Whether it came in the form of multichain sessions. */
  readonly isCaip: boolean;
  readonly failure?: Failure;
}

const MAX_PARAMS_BYTES = 1 << 20;
const LONGEST_METHOD = 100;
const LONGEST_ID = 200;

const CAIP_METHODS = ["wallet_createSession", "wallet_getSession", "wallet_revokeSession", "wallet_invokeMethod"];

const INVALID_REQUEST: Failure = { code: -32600, message: "The request needs a method." };
const UNSUPPORTED: Failure = { code: 4200, message: "The wallet does not support this method here." };
const TOO_LONG: Failure = { code: -32602, message: "The parameters are longer than 1 MiB of JSON." };
const NOT_JSON: Failure = { code: -32602, message: "The parameters cannot be written as JSON." };

/** Nothing for a message that is not ours, or cannot be answered. */
export function readRequest(message: unknown): PageRequest | undefined {
  const outer = fieldsOf(message);
  if (outer?.["target"] === "countersign-content") return read(outer, false);
  if (outer?.["target"] !== "metamask-contentscript") return undefined;
  const envelope = fieldsOf(outer["data"]);
  const inner = envelope?.["name"] === "metamask-multichain-provider" ? fieldsOf(envelope["data"]) : undefined;
  return inner && read(inner, true);
}

function read({ id, method, params }: Record<string, unknown>, isCaip: boolean): PageRequest | undefined {
  if (typeof id === "string" ? id.length > LONGEST_ID : !Number.isSafeInteger(id)) return undefined;
  const request = { id: id as string | number, method: String(method), params, isCaip };
  if (typeof method !== "string" || method === "" || method.length > LONGEST_METHOD) {
    return { ...request, method: "", failure: INVALID_REQUEST };
  }
  if (isCaip && !CAIP_METHODS.includes(method)) return { ...request, failure: UNSUPPORTED };
  const failure = paramsFailure(params);
  return failure ? { ...request, params: undefined, failure } : request;
}

function paramsFailure(params: unknown): Failure | undefined {
  try {
    const text = JSON.stringify(params) ?? "";
    if (text.length > MAX_PARAMS_BYTES) return TOO_LONG;
    return new TextEncoder().encode(text).length > MAX_PARAMS_BYTES ? TOO_LONG : undefined;
  } catch {
    return NOT_JSON;
  }
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
