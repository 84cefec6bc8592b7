// Messages of web pages and of other extensions. Who speaks is said by the browser, never by the message; what they may do
// is decided in the core.

import type { CoreKeeper } from "./core";

/** The parts of a sender that say who it is. */
export type Sender = Pick<chrome.runtime.MessageSender, "id" | "origin">;

/** As in the core. */
const MAX_TEXT = 2 << 20;

/**
 * An extension is its id, also where one of its scripts runs inside a page; a page is its origin. Nothing for a page
 * without one, such as a sandboxed frame.
 */
export function originOf({ id, origin }: Sender): string | undefined {
  if (id !== undefined) return `chrome-extension://${id}`;
  return origin === undefined || origin === "null" ? undefined : origin;
}

/** The message as the core takes it: an object, and not too long. */
export function textOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return undefined;
  const text = JSON.stringify(message);
  return text.length <= MAX_TEXT ? text : undefined;
}

/** The answer to a message from outside. Nothing for one that no core sees. */
export async function answerOutside(keeper: Pick<CoreKeeper, "run">, message: unknown, sender: Sender): Promise<unknown> {
  const [origin, text] = [originOf(sender), textOf(message)];
  if (origin === undefined || text === undefined) return failure(400, "invalid_request");
  try {
    return JSON.parse(await keeper.run((core) => core.outside(origin, text))) as unknown;
  } catch {
    // Why the core stopped is no one's business outside.
    return failure(503, "core_crashed");
  }
}

const failure = (status: number, code: string): object => ({ status, body: { error: { code, message: "" } } });

/** The methods of multichain sessions, which are all that another extension may use over a port. */
const CAIP_METHODS = ["wallet_createSession", "wallet_getSession", "wallet_revokeSession", "wallet_invokeMethod"];
const CAIP = "caip-348";

/** The parts of a port that are used. */
export type ExternalPort = Pick<chrome.runtime.Port, "sender" | "postMessage" | "disconnect" | "onMessage">;

/** A port of another extension: multichain sessions, if the user named the extension. The core knows those. */
export function connectedOutside(keeper: Pick<CoreKeeper, "run">, port: ExternalPort, nonce = crypto.randomUUID()): void {
  const id = port.sender?.id;
  if (id === undefined) return port.disconnect();
  port.onMessage.addListener((message: unknown) => {
    const { type, data } = (message ?? {}) as { type?: unknown; data?: { id?: unknown; method?: unknown; params?: unknown } };
    if (type !== CAIP || typeof data !== "object" || data === null) return;
    void answerCaip(keeper, `chrome-extension://${id}`, nonce, data).then((answer) => {
      try {
        port.postMessage({ type: CAIP, data: { jsonrpc: "2.0", id: data.id, ...answer } });
      } catch {
        // The extension left meanwhile.
      }
    });
  });
}

async function answerCaip(
  keeper: Pick<CoreKeeper, "run">,
  origin: string,
  nonce: string,
  { id, method, params }: { id?: unknown; method?: unknown; params?: unknown },
): Promise<object> {
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  if (!isId || typeof method !== "string") return { error: { code: -32600, message: "The request is not readable." } };
  if (!CAIP_METHODS.includes(method)) return { error: { code: 4200, message: "The wallet does not support this method here." } };
  const text = textOf({ id: `${nonce}-${String(id).slice(0, 40)}`, method, params });
  if (text === undefined) return { error: { code: -32602, message: "The parameters are too long." } };
  try {
    return JSON.parse(await keeper.run((core) => core.page(origin, nonce, 0, text))) as object;
  } catch {
    return { error: { code: -32603, message: "The wallet cannot answer now." } };
  }
}
