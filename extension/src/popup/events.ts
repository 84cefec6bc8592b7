// The worker's events. The stream ends with the worker and does not reconnect by itself (readyState 2), so a new one is
// opened after the last received event.

import type { Event as WireEvent } from "../../generated/Event";
import type { PromptChange } from "../../generated/PromptChange";
import { controlled } from "./request";

export type { WireEvent };

export interface Listener {
  event(event: WireEvent): void;
  /** The shown data may be out of date: load it again. Without an `after`, also called once at the start. */
  reload(): void;
  connected(yes: boolean): void;
}

const NAMES: Record<WireEvent["event"], true> = {
  "tool.started": true,
  "tool.streaming": true,
  "tool.done": true,
  "tool.error": true,
  action_result: true,
  result_delivered: true,
  confirmation_required: true,
  tx_bundle_approval: true,
  message_approval: true,
  password_required: true,
  elicitation: true,
  connect_dapp: true,
  prompt_changed: true,
  bundle: true,
  tx_status: true,
  vaultModified: true,
  toolsModified: true,
  text_delta: true,
  message: true,
  conversation: true,
  auth_required: true,
  gap: true,
};

/** The prompt of an event, opened or settled. */
export function promptIn(event: WireEvent): PromptChange | undefined {
  switch (event.event) {
    case "confirmation_required":
    case "tx_bundle_approval":
    case "message_approval":
    case "password_required":
    case "elicitation":
    case "connect_dapp":
    case "prompt_changed":
      return event.data.prompt;
    default:
      return undefined;
  }
}

/** Parts of the page that follow the stream of its view. */
const followers = new Set<(event: WireEvent) => void>();

/** Gets every event that the page's view gets. Returns a function that stops it. */
export function follow(take: (event: WireEvent) => void): () => void {
  followers.add(take);
  return () => void followers.delete(take);
}

const FIRST_RETRY_MILLIS = 50;
const LAST_RETRY_MILLIS = 4_000;
const CONTROL_WAIT_MILLIS = 400;
const UNCONTROLLED_POLL_MILLIS = 2_000;

/** Listens from the event after `after`, or from now on. Returns a function that stops it. */
export function listen(after: number | undefined, listener: Listener): () => void {
  let cursor = after;
  let retry = FIRST_RETRY_MILLIS;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  const again = (millis: number): void => {
    if (!stopped) timer = setTimeout(() => void open(), millis);
  };

  async function open(): Promise<void> {
    if (!(await controlled(CONTROL_WAIT_MILLIS))) {
      // An uncontrolled page gets no stream. Polling keeps it up to date.
      if (!stopped) listener.reload();
      return again(UNCONTROLLED_POLL_MILLIS);
    }
    if (stopped) return;
    source = new EventSource(cursor === undefined ? "/api/events" : `/api/events?after=${cursor}`);
    source.addEventListener("open", () => {
      listener.connected(true);
      // Without a known position in the stream, only a reload shows what happened before it opened.
      if (cursor === undefined) listener.reload();
    });
    source.addEventListener("error", lost);
    for (const name of Object.keys(NAMES)) source.addEventListener(name, arrived);
  }

  function arrived(message: MessageEvent<string>): void {
    retry = FIRST_RETRY_MILLIS;
    const id = Number(message.lastEventId);
    if (message.lastEventId !== "" && Number.isSafeInteger(id)) cursor = id;
    const event = { event: message.type, data: JSON.parse(message.data) } as WireEvent;
    if (event.event === "gap") return listener.reload();
    listener.event(event);
    for (const take of followers) take(event);
  }

  function lost(): void {
    source?.close();
    source = undefined;
    if (stopped) return;
    listener.connected(false);
    // The stream could not be opened: the view's own request shows the error.
    if (cursor === undefined) listener.reload();
    again(retry);
    retry = Math.min(retry * 2, LAST_RETRY_MILLIS);
  }

  void open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    source?.close();
  };
}
