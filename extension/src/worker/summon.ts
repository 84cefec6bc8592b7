// Brings a committed prompt before the user: on an open page of the wallet, or in the approval window.
//
// That a page exists does not mean that it shows the prompt: it may be hidden, or closing. So each page is asked, and one that
// says yes does not close itself. A page that the user closes a moment later has shown nothing: it is asked twice.

import { isShownOn, QUESTION, type ShownOn } from "../popup/prompt/shown";

/** The ids of prompts that were brought before the user. On disk: a prompt survives the browser. */
const SUMMONED = "summoned-prompts";
/** More than there are open prompts. */
const SUMMONED_KEPT = 200;
const APPROVAL_WINDOW = "approval-window";

/** A page that is busy for longer than this shows nothing. */
const ANSWER_MILLIS = 2_000;
/** How long a page must show a prompt to have shown it. */
const SEEN_MILLIS = 1_000;

/** One after another: of two at once each would open a window. */
let last: Promise<void> = Promise.resolve();
/** Prompts that a page shows, and did not show for long enough yet. */
const watched = new Set<string>();

let unseen: () => void = () => {};

/** Who summons the open prompts again after a page that showed one was closed at once. */
export function onUnseen(listener: () => void): void {
  unseen = listener;
}

/** Brings a prompt before the user, once. A window that the user closed is not opened again for it. */
export function summon(promptId: string, title: string): void {
  enqueue(() => bring(promptId, title));
}

/** A click on a notification. */
export function notificationClicked(promptId: string): Promise<void> {
  enqueue(async () => {
    await chrome.notifications.clear(promptId);
    if ((await shownOn(promptId)) === undefined) await openWindow(promptId);
  });
  return last;
}

function enqueue(work: () => Promise<void>): void {
  last = last.then(work).catch(() => {});
}

async function bring(promptId: string, title: string): Promise<void> {
  if (watched.has(promptId) || (await summoned()).includes(promptId)) return;
  const place = await shownOn(promptId);
  // The page itself is notice enough.
  if (place === "page") return watch(promptId);
  const notified = notify(promptId, title).catch(() => {});
  if (place === "window") watch(promptId);
  else await openWindow(promptId);
  await notified;
}

/** Looks again after a while whether a page still shows the prompt. */
function watch(promptId: string): void {
  watched.add(promptId);
  setTimeout(() => enqueue(() => look(promptId)), SEEN_MILLIS);
}

async function look(promptId: string): Promise<void> {
  watched.delete(promptId);
  if (await shownOn(promptId)) return remember(promptId);
  // Whether it is still open, the core knows.
  unseen();
}

/** Where the prompt is shown, after asking every open page. */
async function shownOn(promptId: string): Promise<ShownOn | undefined> {
  if (await isWindowLoading()) return "window";
  const pages = await chrome.runtime.getContexts({ contextTypes: ["POPUP", "TAB", "SIDE_PANEL"] });
  if (pages.length === 0) return undefined;
  const message = { [QUESTION]: promptId };
  // Without a page that listens, this is refused.
  const answer = chrome.runtime.sendMessage(message).catch(() => undefined) as Promise<unknown>;
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, ANSWER_MILLIS));
  const place = await Promise.race([answer, late]);
  return isShownOn(place) ? place : undefined;
}

/** A window whose page is being loaded cannot answer yet; once loaded it asks for all open prompts. */
async function isWindowLoading(): Promise<boolean> {
  const id: unknown = (await chrome.storage.session.get(APPROVAL_WINDOW))[APPROVAL_WINDOW];
  if (typeof id !== "number") return false;
  const tabs = await chrome.tabs.query({ windowId: id }).catch(() => []);
  return tabs.some(({ status }) => status === "loading");
}

/** There is one window, and it shows all open prompts in turn. */
async function openWindow(promptId: string): Promise<void> {
  const url = chrome.runtime.getURL(`approve.html?prompt=${encodeURIComponent(promptId)}`);
  const window = await chrome.windows.create({ url, type: "popup", width: 420, height: 720 });
  await Promise.all([chrome.storage.session.set({ [APPROVAL_WINDOW]: window?.id }), remember(promptId)]);
}

async function summoned(): Promise<string[]> {
  const ids: unknown = (await chrome.storage.local.get(SUMMONED))[SUMMONED];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

async function remember(promptId: string): Promise<void> {
  const others = (await summoned()).filter((id) => id !== promptId);
  await chrome.storage.local.set({ [SUMMONED]: [...others, promptId].slice(-SUMMONED_KEPT) });
}

function notify(promptId: string, title: string): Promise<unknown> {
  const iconUrl = chrome.runtime.getURL("icons/128.png");
  return chrome.notifications.create(promptId, { type: "basic", iconUrl, title: "Countersign", message: title });
}
