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
