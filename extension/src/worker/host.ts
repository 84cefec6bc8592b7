// What the core may ask of the browser beyond the web platform. Each does as it is told; when is decided in Rust.

/** Called from Rust; the names are the contract. */
export interface Host {
  version(): string;
  /** One alarm at this time, in milliseconds since 1970; 0 clears it. */
  wakeAt(millis: number): void;
  /** While on, the worker is not stopped for idleness. */
  keepAlive(on: boolean): void;
  getSecret(name: string): Promise<string | undefined>;
  setSecret(name: string, value: string | undefined): Promise<void>;
  /** How many questions wait for the person. */
  attention(count: number): void;
}

const WAKE = "wake";
const AFTER_CRASH = "after-crash";
const SECRET = "secret:";

// Chrome stops a worker after 30 s without an extension event or call.
const KEEP_ALIVE_MILLIS = 20_000;

let beat: ReturnType<typeof setInterval> | undefined;

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
  },
};

/** A dead core cannot take back what it asked for; and its recorded work must go on without a page being open. */
export function afterCrash(): void {
  host.keepAlive(false);
  void chrome.alarms.create(AFTER_CRASH, { delayInMinutes: 0.5 });
}
