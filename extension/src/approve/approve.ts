// The approval page: in its own window, or in place of the wallet with a link back.

import { fill, h } from "../popup/element";
import { listen } from "../popup/events";
import { localisePage, t } from "../popup/i18n";
import { allPrompts, wayBack } from "../popup/prompt/page";
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
  if ((await isOwnWindow()) && isFinished) closing = setTimeout(() => window.close(), millis);
}

/** A window that was opened for the prompts has nothing else to show. */
async function isOwnWindow(): Promise<boolean> {
  return (await chrome.windows.getCurrent()).type === "popup";
}

/** A page may close itself only if a script opened it; its tab can always be closed. */
async function closePage(): Promise<void> {
  const tab = await chrome.tabs.getCurrent();
  if (tab?.id === undefined) window.close();
  else await chrome.tabs.remove(tab.id);
}

/** Esc decides nothing: the prompts stay open. */
async function later(): Promise<void> {
  if (back !== undefined) location.href = back;
  else if (await isOwnWindow()) window.close();
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
listen(undefined, { event: (event) => page.event(event), reload: () => page.reload(), connected });
