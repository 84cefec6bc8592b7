// The page: popup, side panel or tab. One view at a time, one event stream for the shown view.

import { h, fill } from "./element";
import { listen, type Listener } from "./events";
import { localisePage, t } from "./i18n";
import { Nav, VIEW_NAMES } from "./nav";
import { iconButton } from "./parts";
import { answerForPrompts } from "./prompt/shown";
import { UseHere } from "./sites/use-here";
import { VaultSwitcher } from "./vaults/switcher";
import type { Surroundings, View, ViewName } from "./view";
import { ActivityView } from "./views/activity";
import { AgentView } from "./views/agent";
import { ContactsView } from "./views/contacts";
import { SettingsView } from "./views/settings";
import { WalletView } from "./views/wallet";
import { ToolsView } from "../tools/view";

const VIEWS: Record<ViewName, new (around: Surroundings) => View> = {
  agent: AgentView,
  wallet: WalletView,
  contacts: ContactsView,
  activity: ActivityView,
  tools: ToolsView,
  settings: SettingsView,
};

/** A restarting worker is away for some milliseconds; only a longer absence is shown. */
const PATIENCE_MILLIS = 2_000;

localisePage("app_name");
const nav = new Nav(go);
const vaults = new VaultSwitcher(() => go("settings"));
const main = h("main", { id: "main", tabindex: -1 });
const away = h("div", { class: "away", role: "status", hidden: true }, t("common_reconnecting"));
let stop: (() => void) | undefined;
let impatience: ReturnType<typeof setTimeout> | undefined;

/** The view that a page is for: tools.html has the same frame. */
const HOME: ViewName = location.pathname === "/tools.html" ? "tools" : "agent";

function go(name: ViewName): void {
  if (HOME === "tools" && name !== "tools") return location.assign(`popup.html?view=tab#${name}`);
  stop?.();
  stop = undefined;
  history.replaceState(null, "", `#${name}`);
  nav.mark(name);
  const view = new VIEWS[name]({ listen: hear, go });
  fill(main, view.element);
  view.show();
}

function hear(after: number | undefined, listener: Pick<Listener, "event" | "reload">): void {
  stop?.();
  stop = listen(after, {
    event(event) {
      nav.take(event);
      vaults.take(event);
      listener.event(event);
    },
    reload() {
      void nav.countQuestions();
      void vaults.load();
      listener.reload();
    },
    connected,
  });
  void nav.countQuestions();
  void vaults.load();
}

function connected(yes: boolean): void {
  clearTimeout(impatience);
  if (yes) away.hidden = true;
  else impatience = setTimeout(() => (away.hidden = false), PATIENCE_MILLIS);
}

function skip(event: Event): void {
  event.preventDefault();
  (document.getElementById("composer") ?? main).focus();
}

function openTab(): void {
  void chrome.tabs.create({ url: chrome.runtime.getURL(`popup.html?view=tab${location.hash}`) });
  window.close();
}

const useHere = new UseHere();
const query = new URLSearchParams(location.search);
// In a tab of its own the wallet would name itself; a tab can be named in the address.
if (query.get("view") === "popup" || query.get("view") === "panel" || query.has("for")) {
  void useHere.show(query.has("for") ? Number(query.get("for")) : undefined);
}

const shape = query.get("view") ?? "tab";
document.documentElement.dataset["shape"] = shape;
document.body.append(
  h("a", { class: "skip", href: "#main", on: { click: skip } }, t("common_skip")),
  h(
    "header",
    { class: "top" },
    h(
      "span",
      { class: "brand" },
      h("img", { src: "icons/32.png", alt: "", width: 24, height: 24 }),
      h("b", {}, "Countersign"),
    ),
    vaults.element,
    nav.element,
    h("span", { class: "expand" }, iconButton("expand", t("common_open_tab"), openTab)),
  ),
  away,
  nav.bar.element,
  useHere.element,
  main,
);

// The bar above every view counts the open prompts and leads to them. The window that a website opened for its calls may be
// behind others: it does not stand for a prompt.
const showsPrompts = (): boolean => document.visibilityState === "visible" && !query.has("bundle");
answerForPrompts(() => (showsPrompts() ? "page" : undefined));

const wanted = location.hash.slice(1);
go(VIEW_NAMES.find((name) => name === wanted) ?? HOME);
