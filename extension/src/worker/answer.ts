// Turns requests into calls of the core and replies into what a page receives: a Response, or the same as a message.

import { CoreCrashed, CoreRefused, type CoreKeeper } from "./core";

/** A request as a page sends it when it cannot use `fetch` (it is not controlled by the worker yet). */
export interface Envelope {
  countersign: 1;
  method: string;
  target: string;
  body: string;
}

export interface Answer {
  status: number;
  body: string;
  /** Set when the answer is a stream of the events after this id. */
  eventsAfter?: number;
}

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Everything else on our origin is a file of the extension. */
export function isServed(pathname: string): boolean {
  return pathname.startsWith("/api/") || pathname === "/tools" || pathname.startsWith("/tools/");
}

export async function answerRequest(keeper: CoreKeeper, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const answer = await ask(keeper, request.method, pathname + search, request.body ? await request.text() : "");
  if (answer.eventsAfter !== undefined) {
    return new Response(eventStream(keeper, answer.eventsAfter), {
      headers: { ...HEADERS, "content-type": "text/event-stream" },
    });
  }
  const empty = answer.status === 204 || answer.status === 304;
  return new Response(empty ? null : answer.body, {
    status: answer.status,
    headers: { ...HEADERS, "content-type": "application/json" },
  });
}

export async function answerEnvelope(keeper: CoreKeeper, { method, target, body }: Envelope): Promise<Answer> {
  const url = URL.canParse(target, "http://worker") ? new URL(target, "http://worker") : undefined;
  if (!url || !isServed(url.pathname)) return failure(404, "no_such_route", `Nothing is served at ${target}.`);
  const answer = await ask(keeper, method, url.pathname + url.search, body);
  return answer.eventsAfter === undefined
    ? answer
    : failure(406, "stream_needs_fetch", "Events are a stream; a message can carry only one answer.");
}

export function isEnvelope(message: unknown): message is Envelope {
  if (typeof message !== "object" || message === null) return false;
  const { countersign, method, target, body } = message as Partial<Record<keyof Envelope, unknown>>;
  return countersign === 1 && [method, target, body].every((part) => typeof part === "string");
}

async function ask(keeper: CoreKeeper, method: string, target: string, body: string): Promise<Answer> {
  try {
    const first = await keeper.readFirst(method, target);
    if (first) return first;
    return await keeper.run(async (core) => {
      const { status, body: text, eventsAfter } = await core.handle(method, target, body);
      return eventsAfter === undefined ? { status, body: text } : { status, body: text, eventsAfter };
    });
  } catch (error) {
    if (error instanceof CoreRefused) return failure(503, error.code, error.message);
    const crashed = error instanceof CoreCrashed ? error : new CoreCrashed(error);
    return failure(500, crashed.code, crashed.message);
  }
}

function failure(status: number, code: string, message: string): Answer {
  return { status, body: JSON.stringify({ error: { code, message } }) };
}

function eventStream(keeper: CoreKeeper, after: number): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder();
  let cursor = after;
  let open = true;
  return new ReadableStream({
    async pull(controller) {
      try {
        const text = await keeper.run((core) => core.events_after(cursor));
        cursor = lastId(text) ?? cursor;
        if (open) controller.enqueue(utf8.encode(text));
      } catch {
        // The page sees its stream end and opens a new one after the last event it has.
        if (open) controller.close();
        open = false;
      }
    },
    cancel() {
      open = false;
    },
  });
}

/** The id of the last event in a piece of a server-sent stream. */
export function lastId(text: string): number | undefined {
  const ids = text.match(/^id: ?\d+/gm);
  const last = ids?.at(-1);
  return last === undefined ? undefined : Number(last.slice(3));
}
