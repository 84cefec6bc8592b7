// The approval page: in its own window, or in place of the wallet with a link back.

import { fill, h } from "../popup/element";
import { listen } from "../popup/events";
import { localisePage, t } from "../popup/i18n";
import { getPrompts } from "../popup/api";
import { allPrompts, wayBack } from "../popup/prompt/page";
import { answerForPrompts, type ShownOn } from "../popup/prompt/shown";
import { answerable } from "./fate";
import { Page } from "./page";

/** A restarting worker is away for some milliseconds; only a longer absence is shown. */
const PATIENCE_MILLIS = 2_000;

localisePage("approve_page_title");
const query = new URLSearchParams(location.search);
const back = wayBack(query);
const away = h("div", { class: "away", role: "status", hidden: true }, t("approve_reconnecting"));
const end = h("div", { class: "ending" });
const decideLater = h(
  "a",
  { class: "later", href: back, hidden: back === undefined, "data-testid": "prompt-later" },
  t("approve_later"),
);
let impatience: ReturnType<typeof setTimeout> | undefined;
let closing: ReturnType<typeof setTimeout> | undefined;
/** Whether nothing was asked since the end: a window that is about to close itself must not close over a new prompt. */
let isFinished = false;
/** The window is going away: it shows nothing that comes from now on. */
let isClosing = false;
/** Whether the window was opened for the prompts, and has nothing else to show. */
let isOwnWindow = false;
const windowKnown = chrome.windows.getCurrent().then(({ type }) => {
  isOwnWindow = type === "popup";
});

const page = new Page({
  first: query.get("prompt"),
  all: allPrompts(query),
  finished: (millis) => void finished(millis),
  watching() {
    isFinished = false;
    clearTimeout(closing);
    decideLater.hidden = back === undefined;
    decideLater.textContent = t("approve_back");
    fill(end);
  },
  unfinished() {
    isFinished = false;
    isClosing = false;
    clearTimeout(closing);
    decideLater.hidden = back === undefined;
    decideLater.textContent = t("approve_later");
    fill(end);
  },
});

async function finished(millis?: number): Promise<void> {
  isFinished = true;
  clearTimeout(closing);
  // An event after the end must not move the keyboard focus.
  if (end.firstChild) return;
  if (back !== undefined) {
    const link = h("a", { class: "button primary", href: back, "data-testid": "prompt-back" }, t("approve_back"));
    fill(end, link);
    decideLater.hidden = true;
    return link.focus();
  }
  if (millis === undefined) {
    const close = h("button", { type: "button", class: "primary", "data-testid": "prompt-close" }, t("approve_close"));
    close.addEventListener("click", () => void closePage());
    fill(end, close);
    return close.focus();
  }
  await windowKnown;
  if (isOwnWindow && isFinished) closing = setTimeout(() => void closeUnlessAsked(), millis);
}

/** An event may be on its way: the core is asked once more before the window closes. */
async function closeUnlessAsked(): Promise<void> {
  const open = await getPrompts().catch(() => []);
  if (!isFinished) return;
  if (answerable(open, Date.now()).length > 0) return page.reload();
  closeWindow();
}

function closeWindow(): void {
  isClosing = true;
  window.close();
}

/** Where a prompt is shown that the worker asks for. Said yes, this window does not close over it. */
function shownHere(promptId: string): ShownOn | undefined {
  const isVisible = document.visibilityState === "visible";
  if (isClosing || !(isVisible || isOwnWindow)) return undefined;
  if (!page.knows(promptId)) {
    isFinished = false;
    clearTimeout(closing);
    page.reload();
  }
  // In a tab that the user opened, a link leads to it: what the user reads there is not taken away.
  if (back !== undefined || !isOwnWindow) return "page";
  // The window tells how an earlier prompt ended: it opens anew for those that are open.
  if (page.tellsFate) location.replace(allPrompts(query));
  void chrome.windows.update(chrome.windows.WINDOW_ID_CURRENT, { focused: true });
  return "window";
}

/** A page may close itself only if a script opened it; its tab can always be closed. */
async function closePage(): Promise<void> {
  isClosing = true;
  const tab = await chrome.tabs.getCurrent();
  if (tab?.id === undefined) window.close();
  else await chrome.tabs.remove(tab.id);
}

/** Esc decides nothing: the prompts stay open. */
async function later(): Promise<void> {
  if (back !== undefined) location.href = back;
  else {
    await windowKnown;
    if (isOwnWindow) closeWindow();
  }
}

function connected(yes: boolean): void {
  clearTimeout(impatience);
  if (yes) away.hidden = true;
  else impatience = setTimeout(() => (away.hidden = false), PATIENCE_MILLIS);
}

document.documentElement.dataset["shape"] = query.get("view") ?? "window";
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  event.preventDefault();
  void later();
});
document.body.append(
  h(
    "header",
    { class: "top approve-top" },
    h(
      "span",
      { class: "brand" },
      h("img", { src: "icons/32.png", alt: "", width: 24, height: 24 }),
      h("b", {}, "Countersign"),
    ),
    page.place,
    decideLater,
  ),
  away,
  page.note,
  page.main,
  page.foot,
  end,
);
answerForPrompts(shownHere);
listen(undefined, { event: (event) => page.event(event), reload: () => page.reload(), connected });
