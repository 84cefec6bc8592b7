// Carries the requests of one document to the worker and brings back one answer each, whatever happens to the worker in
// between: what is unanswered is sent again, with the same id, over a new port.

import { answerOf, caipAnswer, caipNotice, type Failure } from "./message";
import { readRequest, type PageRequest } from "./request";

/** The parts of a port that are used. */
export interface Port {
  postMessage(message: unknown): void;
  disconnect(): void;
  readonly onMessage: { addListener(work: (message: unknown) => void): void };
  readonly onDisconnect: { addListener(work: () => void): void };
}

/** What the relay needs of the browser. */
export interface Surroundings {
  /** A port to the worker, which it starts; throws if this script has outlived its extension. */
  connect(): Port;
  /** A message for the page. */
  post(message: object): void;
  after(millis: number, work: () => void): void;
  /** Random, and new for every document. */
  readonly nonce: string;
  /** Whether this frame may use the wallet. */
  readonly isOffered: boolean;
}

interface Waiting {
  readonly id: string;
  readonly request: PageRequest;
}

/** A page that asks more at once gets an error. */
const MOST_IN_FLIGHT = 128;
const FIRST_DELAY_MILLIS = 25;
const LONGEST_DELAY_MILLIS = 5_000;

const GONE: Failure = { code: 4900, message: "The wallet was stopped or updated. Reload the page to use it." };
const NOT_HERE: Failure = { code: 4100, message: "The wallet is not offered to this frame." };
const TOO_MANY: Failure = { code: -32005, message: "Too many requests at once.", data: { retryAfterMs: 1_000 } };

export class Relay {
  readonly #waiting = new Map<string, Waiting>();
  #port: Port | undefined;
  #count = 0;
  #failures = 0;
  #isComing = false;
  #isGone = false;
  #isUsed = false;
  #usesCaip = false;
  #sessions: string | undefined;

  constructor(private readonly around: Surroundings) {}

  /** A message that the page sent to its own window. */
  take(message: unknown): void {
    const request = readRequest(message);
    if (!request) return;
    const refused = request.failure ?? this.#refusal();
    if (refused) return this.#answer(request, { error: refused });
    this.#usesCaip ||= request.isCaip;
    const waiting = { id: `${this.around.nonce}-${(this.#count += 1)}`, request };
    this.#waiting.set(waiting.id, waiting);
    if (this.#port) this.#send(this.#port, waiting);
    else if (!this.#isComing) this.#open();
  }

  /** The worker has news: a document that used it listens again. */
  wake(): void {
    if (this.#isUsed && !this.#port && !this.#isComing && !this.#isGone) this.#open();
  }

  /** The document is shown again after it was kept aside; its port did not live through that. */
  restore(): void {
    const port = this.#port;
    this.#port = undefined;
    port?.disconnect();
    this.wake();
  }

  #refusal(): Failure | undefined {
    if (!this.around.isOffered) return NOT_HERE;
    if (this.#isGone) return GONE;
    return this.#waiting.size >= MOST_IN_FLIGHT ? TOO_MANY : undefined;
  }

  #open(): void {
    this.#isComing = false;
    if (this.#port || this.#isGone) return;
    let port: Port;
    try {
      port = this.around.connect();
    } catch {
      return this.#end();
    }
    this.#port = port;
    this.#isUsed = true;
    port.onMessage.addListener((message) => this.#receive(port, message));
    port.onDisconnect.addListener(() => this.#lost(port));
    for (const waiting of this.#waiting.values()) this.#send(port, waiting);
  }

  #send(port: Port, { id, request: { method, params } }: Waiting): void {
    try {
      port.postMessage({ id, method, params });
    } catch {
      // The port has just closed; its listener sends everything again.
    }
  }

  #receive(port: Port, message: unknown): void {
    if (port !== this.#port) return;
    this.#failures = 0;
    const { id, event, data } = message as { id?: string; event?: string; data?: unknown };
    if (event === "state") return this.#state(data);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(waiting.id);
    this.#answer(waiting.request, answerOf(message));
  }

  #lost(port: Port): void {
    if (port !== this.#port) return;
    this.#port = undefined;
    if (this.#waiting.size === 0 || this.#isComing) return;
    this.#isComing = true;
    const delay = Math.min(FIRST_DELAY_MILLIS * 2 ** this.#failures, LONGEST_DELAY_MILLIS);
    this.#failures += 1;
    this.around.after(delay, () => this.#open());
  }

  /** The extension is gone: this script cannot reach another one. */
  #end(): void {
    this.#isGone = true;
    const unanswered = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { request } of unanswered) this.#answer(request, { error: GONE });
    this.around.post({ target: "countersign-inpage", event: "state", data: null });
  }

  #state(data: unknown): void {
    this.around.post({ target: "countersign-inpage", event: "state", data });
    const sessions = (data as { sessions?: unknown } | null)?.sessions ?? {};
    const text = JSON.stringify(sessions);
    if (this.#usesCaip && this.#sessions !== undefined && this.#sessions !== text) {
      this.around.post(caipNotice("wallet_sessionChanged", { sessionScopes: sessions }));
    }
    this.#sessions = text;
  }

  #answer({ id, isCaip }: PageRequest, answer: { result: unknown } | { error: Failure }): void {
    this.around.post(isCaip ? caipAnswer(id, answer) : { target: "countersign-inpage", id, ...answer });
  }
}

