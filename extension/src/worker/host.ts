// The browser functions that the core uses beyond the web platform. Rust decides when to call them.

import { summon } from "./summon";

/** Called from Rust; the names are the contract. */
export interface Host {
  version(): string;
  /** One alarm at this time, in milliseconds since 1970; 0 clears it. */
  wakeAt(millis: number): void;
  /** While on, the worker is not stopped for idleness. */
  keepAlive(on: boolean): void;
  getSecret(name: string): Promise<string | undefined>;
  setSecret(name: string, value: string | undefined): Promise<void>;
  /** The number of open prompts. */
  attention(count: number): void;
  /** Brings an open prompt before the user, once: of a prompt that was summoned before, nothing happens. */
  summon(promptId: string, title: string): void;
  showBundle(id: string): void;
  /** From now on the browser says so when nothing was typed or moved for this long. */
  watchPresence(seconds: number): void;
  /** `active`, `idle` for this long, or `locked`. */
  presence(seconds: number): Promise<string>;
  /** What open web pages may know changed: of one origin, or of all. */
  pagesChanged(origin?: string): void;
}

const WAKE = "wake";
const AFTER_CRASH = "after-crash";
const SECRET = "secret:";
const WALLET_WINDOW = "wallet-window";

// Chrome stops a worker after 30 s without an extension event or call.
const KEEP_ALIVE_MILLIS = 20_000;

let beat: ReturnType<typeof setInterval> | undefined;

/** On the icon while a page keeps asking in vain; the number of open prompts takes its place. */
const INSISTS = "!";

/** A page keeps asking though the user said no. */
export async function markInsistence(): Promise<void> {
  if ((await chrome.action.getBadgeText({})) !== "") return;
  await chrome.action.setBadgeBackgroundColor({ color: "#6b7280" });
  await chrome.action.setBadgeText({ text: INSISTS });
}

let pagesListener: (origin?: string) => void = () => {};

/** Who tells open web pages that what they may know has changed. */
export function onPagesChanged(listener: (origin?: string) => void): void {
  pagesListener = listener;
}

export const host: Host = {
  version: () => chrome.runtime.getManifest().version,

  wakeAt(millis) {
    // Again each minute until it is set anew or cleared: a worker may die after the alarm and before it has begun.
    const alarm = { when: millis, periodInMinutes: 1 };
    void (millis > 0 ? chrome.alarms.create(WAKE, alarm) : chrome.alarms.clear(WAKE));
  },

  keepAlive(on) {
    clearInterval(beat);
    beat = on ? setInterval(() => void chrome.runtime.getPlatformInfo(), KEEP_ALIVE_MILLIS) : undefined;
  },

  async getSecret(name) {
    const key = SECRET + name;
    const value: unknown = (await chrome.storage.session.get(key))[key];
    return typeof value === "string" ? value : undefined;
  },

  async setSecret(name, value) {
    const key = SECRET + name;
    await (value === undefined ? chrome.storage.session.remove(key) : chrome.storage.session.set({ [key]: value }));
  },

  attention(count) {
    void chrome.action.setBadgeBackgroundColor({ color: "#b45309" });
    void chrome.action.setBadgeText({ text: count > 0 ? String(count) : "" });
    if (count === 0) void clearNotifications();
  },

  summon,

  showBundle(id) {
    void showWallet(id).catch(() => {});
  },

  watchPresence: (seconds) => chrome.idle.setDetectionInterval(idleInterval(seconds)),

  presence: (seconds) => chrome.idle.queryState(idleInterval(seconds)),

  pagesChanged: (origin) => pagesListener(origin),
};

/** Chrome takes no shorter interval. */
const idleInterval = (seconds: number): number => Math.max(seconds, 15);

/** Opens the wallet at a bundle: a website asked for that, so it is a window of its own and never more than one. */
async function showWallet(bundleId: string): Promise<void> {
  const url = chrome.runtime.getURL(`popup.html?view=tab&bundle=${encodeURIComponent(bundleId)}#activity`);
  const id: unknown = (await chrome.storage.session.get(WALLET_WINDOW))[WALLET_WINDOW];
  const [tab] = typeof id === "number" ? await chrome.tabs.query({ windowId: id }).catch(() => []) : [];
  if (tab?.id !== undefined && tab.windowId !== undefined) {
    await chrome.tabs.update(tab.id, { url });
    await chrome.windows.update(tab.windowId, { focused: true });
    return;
  }
  const window = await chrome.windows.create({ url, type: "popup", width: 420, height: 720 });
  await chrome.storage.session.set({ [WALLET_WINDOW]: window?.id });
}

async function clearNotifications(): Promise<void> {
  const shown = await chrome.notifications.getAll();
  for (const promptId of Object.keys(shown)) void chrome.notifications.clear(promptId);
}

/** A dead core cannot take back what it asked for; and its recorded work must go on without a page being open. */
export function afterCrash(): void {
  host.keepAlive(false);
  void chrome.alarms.create(AFTER_CRASH, { delayInMinutes: 0.5 });
}
