// Ports of web pages. Who speaks is said by the browser, never by a message; what a page may do is decided in the core.
// Nothing here outlives the worker: a page whose port closed sends its unanswered requests again, with the same ids.

import { CoreRefused, type CoreKeeper } from "./core";

export const PAGE_PORT = "countersign-page";
/** Told to content scripts: the worker has news for the documents that have used it. */
export const WAKE = "countersign-wake";

type Keeper = Pick<CoreKeeper, "run">;

/** The parts of a port that are used. */
export interface PagePort {
  readonly name: string;
  readonly sender?: chrome.runtime.MessageSender;
  postMessage(message: unknown): void;
  disconnect(): void;
  readonly onMessage: { addListener(work: (message: unknown) => void): void };
  readonly onDisconnect: { addListener(work: () => void): void };
}

/** A document, as the browser names it. */
export interface Speaker {
  readonly origin: string;
  readonly document: string;
  readonly tab: number;
}

/** A little more than the content script lets through. */
const MAX_TEXT = (1 << 20) + 4096;
const LONGEST_ID = 64;
/** A document that is still there opens another port sooner. */
const GONE_AFTER_MILLIS = 500;

/** EIP-1474: the page asks too much. */
const LIMIT = -32005;
const INVALID_REQUEST = { code: -32600, message: "The request is not readable." };
const INTERNAL = { code: -32603, message: "The wallet cannot answer now." };

/** The document behind a port; nothing for one that may not use the wallet. */
export function speakerOf(sender: chrome.runtime.MessageSender | undefined, ourId: string): Speaker | undefined {
  const { id, origin, documentId, frameId, tab } = sender ?? {};
  if (id !== ourId || tab?.id === undefined || documentId === undefined || frameId === undefined) return undefined;
  if (origin === undefined || origin === "null" || !/^https?:/.test(origin)) return undefined;
  // The address of a tab is known where the wallet is offered: a frame speaks only if it is of the same origin.
  if (frameId !== 0 && originOf(tab.url) !== origin) return undefined;
  return { origin, document: documentId, tab: tab.id };
}

function originOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** A request as the core takes it: its id and text. */
export function readRequest(message: unknown): { id: string; text: string } | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { id, method, params } = message as Record<string, unknown>;
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ID || typeof method !== "string") return undefined;
  const text = JSON.stringify({ id, method, params });
  return text.length <= MAX_TEXT ? { id, text } : undefined;
}

export class Pages {
  readonly #ports = new Map<PagePort, Speaker>();

  constructor(
    private readonly keeper: Keeper,
    private readonly ourId: string = chrome.runtime.id,
    /** A page keeps asking though it was told to wait. */
    private readonly insisted: () => void = () => {},
  ) {}

  connected(port: PagePort): void {
    const speaker = speakerOf(port.sender, this.ourId);
    if (port.name !== PAGE_PORT || !speaker) return port.disconnect();
    this.#ports.set(port, speaker);
    port.onDisconnect.addListener(() => {
      // Read, so that the browser does not report it.
      void (globalThis.chrome as typeof chrome | undefined)?.runtime?.lastError;
      this.#ports.delete(port);
      setTimeout(() => void this.#left(speaker), GONE_AFTER_MILLIS);
    });
    port.onMessage.addListener((message) => void this.#answer(port, speaker, message));
    // After the first request, which came with the port.
    setTimeout(() => void this.#tell(port, speaker), 0);
  }

  /** What the pages of an origin may see has changed; without an origin, of all of them. */
  changed(origin: string | undefined): void {
    for (const [port, speaker] of this.#ports) {
      if (origin === undefined || speaker.origin === origin) void this.#tell(port, speaker);
    }
    void wakeTabs(origin).catch(() => {});
  }

  async #answer(port: PagePort, { origin, document, tab }: Speaker, message: unknown): Promise<void> {
    const request = readRequest(message);
    if (!request) {
      const id = (message as { id?: unknown } | null)?.id;
      return this.#post(port, { id, error: INVALID_REQUEST });
    }
    const { id, text } = request;
    try {
      const answer = await this.keeper.run((core) => core.page(origin, document, tab, text));
      const { result, error } = JSON.parse(answer) as { result?: unknown; error?: { code: number } };
      if (error?.code === LIMIT) this.insisted();
      this.#post(port, error ? { id, error } : { id, result });
    } catch (error) {
      // A core that crashed has recorded what it began: the request finds it when it is sent again.
      if (error instanceof CoreRefused) this.#post(port, { id, error: { ...INTERNAL, data: { code: error.code } } });
      else this.#close(port);
    }
  }

  /** The document is gone, unless it has opened another port. */
  async #left({ origin, document }: Speaker): Promise<void> {
    if ([...this.#ports.values()].some((speaker) => speaker.document === document)) return;
    await this.keeper.run((core) => core.page_gone(origin, document)).catch(() => undefined);
  }

  async #tell(port: PagePort, { origin }: Speaker): Promise<void> {
    try {
      const text = await this.keeper.run((core) => core.page_state(origin));
      this.#post(port, { event: "state", data: JSON.parse(text) as unknown });
    } catch {
      // The next port of the page starts with the state.
    }
  }

  #post(port: PagePort, message: object): void {
    if (!this.#ports.has(port)) return;
    try {
      port.postMessage(message);
    } catch {
      // The page left in this moment.
    }
  }

  #close(port: PagePort): void {
    this.#ports.delete(port);
    port.disconnect();
  }
}

/** Documents whose port closed with an earlier worker open a new one, which starts with the state. */
async function wakeTabs(origin: string | undefined): Promise<void> {
  for (const { id, url } of await chrome.tabs.query({})) {
    const other = origin !== undefined && url !== undefined && originOf(url) !== origin;
    if (id === undefined || other) continue;
    // Most tabs have no content script of ours.
    chrome.tabs.sendMessage(id, WAKE).catch(() => {});
  }
}
