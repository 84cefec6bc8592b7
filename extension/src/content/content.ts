// The isolated world's side of a page: hears the page's messages, and opens a port to the worker with the first request.

import { isOffered } from "./frame";
import { Relay } from "./relay";

/** The script may be injected again into a page that has it. */
const scope = globalThis as { countersign?: true };

if (scope.countersign === undefined) {
  scope.countersign = true;
  start();
}

function start(): void {
  // A sandboxed frame has no origin that could be named; it gets refusals only.
  const origin = window.origin === "null" ? "*" : location.origin;
  const relay = new Relay({
    connect: () => {
      const port = chrome.runtime.connect(undefined, { name: "countersign-page" });
      // Read, so that the browser does not report it: a closed port is met by opening another.
      port.onDisconnect.addListener(() => void chrome.runtime.lastError);
      return port;
    },
    post: (message) => window.postMessage(message, origin),
    after: (millis, work) => void setTimeout(work, millis),
    nonce: crypto.randomUUID(),
    isOffered: isOffered(window),
  });
  const take = (event: MessageEvent): void => {
    // Other windows can send messages here as well.
    if (event.source === window) whenShown(() => relay.take(event.data));
  };
  window.addEventListener("message", take);
  window.addEventListener("pageshow", ({ persisted }) => persisted && relay.restore());
  chrome.runtime.onMessage.addListener((message: unknown, sender) => {
    if (sender.id === chrome.runtime.id && message === "countersign-wake") relay.wake();
    return false;
  });
}

/** A page that the browser prepares before the user has gone there asks nothing yet. */
function whenShown(work: () => void): void {
  const page = document as Document & { prerendering?: boolean };
  if (page.prerendering === true) document.addEventListener("prerenderingchange", work, { once: true });
  else work();
}
