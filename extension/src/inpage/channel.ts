// Requests to the content script and its answers, by messages within this window. Other scripts of the page can read and
// forge them: nothing is decided by what is said here.

import { DISCONNECTED, INVALID_PARAMS, ProviderRpcError } from "./error";
import { create, dataOf, hasOwn, listen, parse, SafePromise, send, sourceOf, stringify, uuid } from "./safe";
import type { PageState } from "./state";

/** Also the id of this page session in EIP-6963. */
export const SESSION = uuid();

interface Waiting {
  resolve(result: unknown): void;
  reject(error: ProviderRpcError): void;
}

const waiting = create(null) as Record<string, Waiting>;
let count = 0;

/** Rejects with a `ProviderRpcError` only. */
export function request(method: string, params?: unknown): Promise<unknown> {
  return new SafePromise((resolve, reject) => {
    const id = `${SESSION}-${(count += 1)}`;
    waiting[id] = { resolve, reject };
    try {
      post(id, method, params);
    } catch {
      delete waiting[id];
      reject(new ProviderRpcError(INVALID_PARAMS, "The parameters cannot be written as JSON."));
    }
  });
}

function post(id: string, method: string, params: unknown): void {
  const message = { target: "countersign-content", id, method, params };
  try {
    send(message);
  } catch {
    // Proxies, which some frameworks make of everything, cannot be cloned.
    send({ ...message, params: parse(stringify(params)) as unknown });
  }
}

type Changed = (state: PageState | null) => void;

const watchers: Changed[] = [];

/** Called with each state; `null`: the wallet is gone for the life of this page. */
export function watch(changed: Changed): void {
  watchers[watchers.length] = changed;
}

/** One listener for all: pages send themselves many messages. */
export function startChannel(): void {
  listen("message", (event) => {
    try {
      const message = event as MessageEvent;
      const data = dataOf(message) as Record<string, unknown> | null;
      if (typeof data !== "object" || data === null || !hasOwn(data, "target")) return;
      if (data["target"] !== "countersign-inpage" || sourceOf(message) !== window) return;
      if (!hasOwn(data, "event")) return settle(data);
      if (data["event"] !== "state") return;
      for (let i = 0; i < watchers.length; i++) watchers[i]?.(data["data"] as PageState | null);
    } catch {
      // A message that another script of the page forged.
    }
  });
}

function settle(data: Record<string, unknown>): void {
  const id = data["id"] as string;
  const one = waiting[id];
  if (!one) return;
  delete waiting[id];
  if (!hasOwn(data, "error")) return one.resolve(data["result"]);
  const error = data["error"] as { code: number; message: string; data?: unknown };
  one.reject(new ProviderRpcError(error.code, error.message, hasOwn(error, "data") ? error.data : undefined));
}

export const gone = (): ProviderRpcError => new ProviderRpcError(DISCONNECTED, "The wallet is disconnected from this page.");
