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
/** Requests of one port that are answered at the same time. */
const MAX_OPEN = 50;

/** The parts of a port that are used. */
export type ExternalPort = Pick<chrome.runtime.Port, "sender" | "postMessage" | "disconnect" | "onMessage" | "onDisconnect">;

type Keeper = Pick<CoreKeeper, "run">;

/** A port and what is known of it. */
interface Outsider {
  readonly origin: string;
  /** Stands for a page's document: a port that closed is one that is gone. */
  readonly document: string;
  /** The scopes that it was last told, as text. Unknown before it asked for a session. */
  scopes?: string;
  /** How many requests it made, and how many of them have no answer. */
  count: number;
  open: number;
}

interface Rpc {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** Ports of other extensions: multichain sessions, for those that the user named. The core knows those. */
export class Extensions {
  readonly #ports = new Map<ExternalPort, Outsider>();

  constructor(private readonly keeper: Keeper) {}

  connected(port: ExternalPort, document: string = crypto.randomUUID()): void {
    const id = port.sender?.id;
    if (id === undefined) return port.disconnect();
    const outsider: Outsider = { origin: `chrome-extension://${id}`, document, count: 0, open: 0 };
    this.#ports.set(port, outsider);
    port.onDisconnect.addListener(() => {
      this.#ports.delete(port);
      // What is answered from now on is for the port that the extension opens next.
      void this.keeper.run((core) => core.page_gone(outsider.origin, document)).catch(() => undefined);
    });
    port.onMessage.addListener((message: unknown) => {
      const { type, data } = (message ?? {}) as { type?: unknown; data?: Rpc };
      if (type === CAIP && typeof data === "object" && data !== null) void this.#answer(port, outsider, data);
    });
  }

  /** What an extension may use has changed; without an origin, perhaps that of each. */
  changed(origin: string | undefined): void {
    for (const [port, outsider] of this.#ports) {
      const isTold = outsider.scopes !== undefined && (origin === undefined || outsider.origin === origin);
      if (isTold) void this.#tell(port, outsider);
    }
  }

  async #answer(port: ExternalPort, outsider: Outsider, rpc: Rpc): Promise<void> {
    outsider.open += 1;
    const answer = await this.#answered(outsider, rpc);
    outsider.open -= 1;
    this.#post(port, { jsonrpc: "2.0", id: rpc.id, ...answer });
    if (CAIP_METHODS.includes(rpc.method as string)) await this.#tell(port, outsider);
  }

  async #answered(outsider: Outsider, { id, method, params }: Rpc): Promise<object> {
    const isId = typeof id === "string" || Number.isSafeInteger(id);
    if (!isId || typeof method !== "string") return { error: { code: -32600, message: "The request is not readable." } };
    if (!CAIP_METHODS.includes(method)) return { error: { code: 4200, message: "The wallet does not support this method here." } };
    if (outsider.open > MAX_OPEN) return { error: { code: -32005, message: "Too many requests are open." } };
    return this.#ask(outsider, method, params);
  }

  /** The extension's own ids may come again: a request has its number here. After a reconnection the core finds it by what it asks. */
  async #ask(outsider: Outsider, method: string, params: unknown): Promise<Record<string, unknown>> {
    const text = textOf({ id: `${outsider.document}-${(outsider.count += 1)}`, method, params });
    if (text === undefined) return { error: { code: -32602, message: "The parameters are too long." } };
    try {
      const answer = await this.keeper.run((core) => core.page(outsider.origin, outsider.document, 0, text));
      return JSON.parse(answer) as Record<string, unknown>;
    } catch {
      return { error: { code: -32603, message: "The wallet cannot answer now." } };
    }
  }

  /** CAIP-311, if the session is another than the extension knows. One that the user no longer names has none. */
  async #tell(port: ExternalPort, outsider: Outsider): Promise<void> {
    const { result } = await this.#ask(outsider, "wallet_getSession", {});
    const sessionScopes = (result as { sessionScopes?: unknown } | undefined)?.sessionScopes ?? {};
    const text = JSON.stringify(sessionScopes);
    const isNews = outsider.scopes !== undefined && outsider.scopes !== text;
    outsider.scopes = text;
    if (isNews) this.#post(port, { jsonrpc: "2.0", method: "wallet_sessionChanged", params: { sessionScopes } });
  }

  #post(port: ExternalPort, data: object): void {
    if (!this.#ports.has(port)) return;
    try {
      port.postMessage({ type: CAIP, data });
    } catch {
      // The extension leaves in this moment.
    }
  }
}
