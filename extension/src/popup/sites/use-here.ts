// "Use on this page": offers the wallet to the page that the user looks at, now and from now on.

import { changeSettings, getSettings } from "../api";
import { fill, h } from "../element";
import { t } from "../i18n";
import { originLine } from "../origin";
import { problem, whileBusy } from "../parts";
import { RequestError } from "../request";

const LOOPBACK = ["localhost", "127.0.0.1"];

/** A page that the wallet can be offered to. */
export function pageOrigin(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.includes(hostname)) ? origin : undefined;
}

export class UseHere {
  readonly element = h("div", { class: "use-here", hidden: true, "data-testid": "use-here" });

  /** `tabId`: a tab other than the active one. */
  async show(tabId?: number): Promise<void> {
    const tab = await (tabId === undefined ? activeTab() : chrome.tabs.get(tabId)).catch(() => undefined);
    const origin = pageOrigin(tab?.url);
    if (tab?.id === undefined || origin === undefined || (await isThere(tab.id))) {
      this.element.hidden = true;
      return;
    }
    const id = tab.id;
    const button = h("button", { type: "button", "data-testid": "use-here-button" }, t("sites_use_here"));
    const notice = h("div", { class: "notice-slot" });
    button.addEventListener("click", () => {
      fill(notice);
      whileBusy(button, t("sites_use_here_busy"), () => use(origin, id)).then(
        () => fill(this.element, h("span", { role: "status", "data-testid": "use-here-done" }, t("sites_use_here_done"))),
        (error: unknown) => fill(notice, problem(error)),
      );
    });
    fill(this.element, originLine(origin), button, notice);
    this.element.hidden = false;
  }
}

async function activeTab(): Promise<chrome.tabs.Tab | undefined> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab;
}

/** Whether the page has the wallet already. */
async function isThere(tabId: number): Promise<boolean> {
  const found = await chrome.scripting
    .executeScript({ target: { tabId }, func: () => (globalThis as { countersign?: true }).countersign === true })
    .catch(() => []);
  return found[0]?.result === true;
}

/**
 * The site is noted before the browser asks, because its question may close this popup: the worker registers the scripts
 * once the browser permits them. The question must come soon after the press.
 */
async function use(origin: string, tabId: number): Promise<void> {
  const { pages } = await getSettings();
  const { mode, sites } = pages;
  await changeSettings({ pages: { sites: [...new Set([...sites, origin])], ...(mode === "off" && { mode: "sites" }) } });
  if (!(await chrome.permissions.request({ origins: [`${origin}/*`] }))) {
    await changeSettings({ pages: { mode, sites } });
    throw new RequestError(0, "permission_refused", "");
  }
  const target = { tabId, allFrames: true };
  const inpage = pages.setEthereum ? "inpage-ethereum.js" : "inpage.js";
  await chrome.scripting.executeScript({ target, files: ["content.js"], injectImmediately: true });
  await chrome.scripting.executeScript({ target, files: [inpage], world: "MAIN", injectImmediately: true });
}
