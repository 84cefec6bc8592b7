// Registers, waits, forwards. Decisions are made in Rust. Every listener is added in the script's first turn, or the
// browser would not start the worker for its event; each then waits for the one core inside `keeper`.

import type { McpServer } from "../../generated/McpServer";
import type { McpServers } from "../../generated/McpServers";
import { answerEnvelope, answerRequest, isEnvelope, isServed } from "./answer";
import { CoreKeeper, isStale, isTrap } from "./core";
import type { PageSettings } from "../../generated/PageSettings";
import type { Settings } from "../../generated/Settings";
import { answerOutside, Extensions } from "./external";
import { markInsistence, onPagesChanged } from "./host";
import { restoreOriginRules } from "./origin-rules";
import { Pages } from "./pages";
import { syncScripts } from "./registration";
import { notificationClicked, onUnseen } from "./summon";
import { modules } from "./wasm";

declare const self: ServiceWorkerGlobalScope;

const { boot, core } = modules();
const keeper = new CoreKeeper(core, boot);
const pages = new Pages(keeper, chrome.runtime.id, () => void markInsistence().catch(() => {}));
const extensions = new Extensions(keeper);

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

/** On which web pages the wallet is offered. */
async function pageSettings(): Promise<PageSettings> {
  const { body } = await keeper.run((core) => core.handle("GET", "/api/settings", ""));
  return (JSON.parse(body) as Settings).pages;
}

const offerPages = (): Promise<void> => syncScripts(pageSettings);

/** An answered change of the settings is one that the browser has taken over as well. */
async function settled<T>(answer: Promise<T>, method: string, target: string): Promise<T> {
  const done = await answer;
  if (method === "PATCH" && target === "/api/settings") await offerPages();
  return done;
}

self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin === self.location.origin && isServed(pathname)) {
    event.respondWith(settled(answerRequest(keeper, event.request), event.request.method, pathname));
  }
});

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  const ours = sender.id === chrome.runtime.id && sender.url?.startsWith(`${self.location.origin}/`);
  if (!ours || !isEnvelope(message)) return false;
  void settled(answerEnvelope(keeper, message), message.method, message.target).then(respond);
  return true;
});

chrome.runtime.onMessageExternal.addListener((message, sender, respond) => {
  void answerOutside(keeper, message, sender).then(respond);
  return true;
});

chrome.runtime.onConnectExternal.addListener((port) => extensions.connected(port));
chrome.runtime.onConnect.addListener((port) => pages.connected(port));
onPagesChanged((origin) => {
  pages.changed(origin);
  extensions.changed(origin);
});
chrome.permissions.onAdded.addListener(() => void offerPages());
chrome.permissions.onRemoved.addListener(() => void offerPages());

chrome.alarms.onAlarm.addListener(resume);
self.addEventListener("online", resume);
// If this fails, or the worker dies before it is done, the next start asks the browser.
chrome.idle.onStateChanged.addListener((presence) => {
  keeper.run((core) => core.presence_changed(presence)).catch(() => {});
});
chrome.notifications.onClicked.addListener((promptId) => void notificationClicked(promptId));
onUnseen(resume);

// Being listened for is also what makes the browser start the worker.
chrome.runtime.onStartup.addListener(() => void offerPages());
chrome.runtime.onInstalled.addListener(() => void offerPages());
restoreOriginRules(mcpServers).catch(() => {});

self.addEventListener("error", (event) => {
  if (!isStale(event.error)) keeper.uncaught(event.error);
});
self.addEventListener("unhandledrejection", (event) => {
  if (isTrap(event.reason)) keeper.uncaught(event.reason);
});

setTimeout(() => keeper.begin(), OPEN_AFTER_MILLIS);
