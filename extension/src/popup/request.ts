// The only way in which a page sends requests to the worker.
//
// A page that the worker controls uses fetch. A page that was opened just after installation, or was hard-reloaded, is
// not controlled: it waits a little and then sends the same request as a message.

import type { ErrorBody } from "../../generated/ErrorBody";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface Options {
  body?: unknown;
  /** Whether the request is idempotent; true for everything but POST by default. */
  repeatable?: boolean;
}

interface RawAnswer {
  status: number;
  body: string;
}

/** The worker answered with an error, or did not answer (`status` 0). */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly path?: string,
    /** Milliseconds after which another attempt makes sense. */
    readonly retryAfterMillis?: number,
    /** Everything that is wrong with a file, where the worker says it all. */
    readonly problems: readonly { message: string; file?: string }[] = [],
  ) {
    super(message);
  }
}

const CONTROL_WAIT_MILLIS = 400;

/** Resolves with whether the worker controls this page, waiting at most `millis` for it. */
export async function controlled(millis: number): Promise<boolean> {
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return true;
  return new Promise((resolve) => {
    const taken = (): void => resolve(true);
    serviceWorker.addEventListener("controllerchange", taken, { once: true });
    setTimeout(() => {
      serviceWorker.removeEventListener("controllerchange", taken);
      resolve(false);
    }, millis);
  });
}

export async function request<T>(method: Method, target: string, options: Options = {}): Promise<T> {
  const body = options.body === undefined ? "" : JSON.stringify(options.body);
  const repeatable = options.repeatable ?? method !== "POST";
  const answer = await ask(method, target, body).catch((error: unknown) => {
    // The worker stopped during the request; sending it again starts a new one.
    if (repeatable) return ask(method, target, body);
    throw error;
  });
  if (answer.status >= 200 && answer.status < 300) {
    return (answer.body === "" ? undefined : JSON.parse(answer.body)) as T;
  }
  throw errorOf(answer);
}

async function ask(method: Method, target: string, body: string): Promise<RawAnswer> {
  try {
    return (await controlled(CONTROL_WAIT_MILLIS))
      ? await askByFetch(method, target, body)
      : await askByMessage(method, target, body);
  } catch (error) {
    throw error instanceof RequestError ? error : new RequestError(0, "worker_gone", String(error));
  }
}

async function askByFetch(method: Method, target: string, body: string): Promise<RawAnswer> {
  const init: RequestInit = { method };
  if (body !== "") init.body = body;
  const response = await fetch(target, init);
  return { status: response.status, body: await response.text() };
}

async function askByMessage(method: Method, target: string, body: string): Promise<RawAnswer> {
  const answer: unknown = await chrome.runtime.sendMessage({ countersign: 1, method, target, body });
  // A worker that is killed while its listener runs resolves the promise with undefined.
  if (typeof answer !== "object" || answer === null) throw new RequestError(0, "worker_gone", "No answer.");
  return answer as RawAnswer;
}

function errorOf({ status, body }: RawAnswer): RequestError {
  try {
    const { error, problems } = JSON.parse(body) as ErrorBody & Pick<RequestError, "problems">;
    return new RequestError(status, error.code, error.message, error.path, error.retryAfterMillis, problems);
  } catch {
    return new RequestError(status, "unreadable_answer", `The worker answered ${status}.`);
  }
}
