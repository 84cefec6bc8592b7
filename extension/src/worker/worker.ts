// Registers, waits, forwards. Decisions are made in Rust. Every listener is added in the script's first turn, or the
// browser would not start the worker for its event; each then waits for the one core inside `keeper`.

import type { McpServer } from "../../generated/McpServer";
import type { McpServers } from "../../generated/McpServers";
import { answerEnvelope, answerRequest, isEnvelope, isServed } from "./answer";
import { CoreKeeper, isStale, isTrap } from "./core";
import { answerOutside } from "./external";
import { notificationClicked } from "./host";
import { restoreOriginRules } from "./origin-rules";
import { modules } from "./wasm";

declare const self: ServiceWorkerGlobalScope;

const { boot, core } = modules();
const keeper = new CoreKeeper(core, boot);

/** What the worker was started for comes first: a plain read, or something that opens the core itself. */
const OPEN_AFTER_MILLIS = 100;

/** Lets recorded work go on. A failure here is met again, and shown, by the next request of a page. */
function resume(): void {
  keeper.run((core) => core.resume()).catch(() => {});
}

/** The user's MCP servers, for the browser's rules about them. */
async function mcpServers(): Promise<McpServer[]> {
  const { status, body } = await keeper.run((core) => core.handle("GET", "/api/mcp/servers", ""));
  return status === 200 ? (JSON.parse(body) as McpServers).servers : [];
}

self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin === self.location.origin && isServed(pathname)) {
    event.respondWith(answerRequest(keeper, event.request));
  }
});

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  const ours = sender.id === chrome.runtime.id && sender.url?.startsWith(`${self.location.origin}/`);
  if (!ours || !isEnvelope(message)) return false;
  void answerEnvelope(keeper, message).then(respond);
  return true;
});

chrome.runtime.onMessageExternal.addListener((message, sender, respond) => {
  void answerOutside(keeper, message, sender).then(respond);
  return true;
});

chrome.alarms.onAlarm.addListener(resume);
self.addEventListener("online", resume);
// If this fails, or the worker dies before it is done, the next start asks the browser.
chrome.idle.onStateChanged.addListener((presence) => {
  keeper.run((core) => core.presence_changed(presence)).catch(() => {});
});
chrome.notifications.onClicked.addListener((promptId) => void notificationClicked(promptId).catch(() => {}));

// Being listened for is what makes the browser start the worker; starting it is all that is needed.
chrome.runtime.onStartup.addListener(() => {});
restoreOriginRules(mcpServers).catch(() => {});
chrome.runtime.onInstalled.addListener(() => {});

self.addEventListener("error", (event) => {
  if (!isStale(event.error)) keeper.uncaught(event.error);
});
self.addEventListener("unhandledrejection", (event) => {
  if (isTrap(event.reason)) keeper.uncaught(event.reason);
});

setTimeout(() => keeper.begin(), OPEN_AFTER_MILLIS);
