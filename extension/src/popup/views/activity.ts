// Activity: actions, transactions and the audit log.

import { AuditLog } from "../activity/audit";
import { CallLog } from "../activity/calls";
import { History } from "../activity/history";
import type { Log } from "../activity/log";
import { RunningBundles } from "../bundle/running";
import { fill, h } from "../element";
import { t } from "../i18n";
import type { Surroundings, View } from "../view";

type Name = "actions" | "history" | "audit";

const LOGS: Record<Name, { label: string; make: () => Log }> = {
  actions: { label: t("activity_tab_actions"), make: () => new CallLog() },
  history: { label: t("activity_tab_history"), make: () => new History() },
  audit: { label: t("activity_tab_audit"), make: () => new AuditLog() },
};
const NAMES = Object.keys(LOGS) as Name[];

export class ActivityView implements View {
  readonly element: HTMLElement;
  readonly #tabs: Map<Name, HTMLButtonElement>;
  readonly #panel = h("div", { id: "activity-log", role: "tabpanel" });
  /** The history shows running bundles by itself. */
  readonly #running = new RunningBundles(() => !(this.#log instanceof History));
  #log: Log | undefined;

  constructor(private readonly around: Surroundings) {
    this.#tabs = new Map(NAMES.map((name) => [name, this.#tab(name)]));
    this.element = h(
      "section",
      { class: "view page", "aria-label": t("activity_title") },
      h(
        "div",
        { class: "title-row" },
        h("h1", {}, t("activity_title")),
        h("div", { class: "tabs", role: "tablist", "aria-label": t("activity_logs") }, ...this.#tabs.values()),
      ),
      this.#running.element,
      this.#panel,
    );
  }

  show(): void {
    this.#choose("actions");
  }

  #tab(name: Name): HTMLButtonElement {
    const on = { click: () => this.#choose(name), keydown: (event: KeyboardEvent) => this.#key(event, name) };
    const attributes = { type: "button", role: "tab", id: `activity-${name}`, "aria-controls": "activity-log" };
    return h("button", { ...attributes, "data-testid": `activity-tab-${name}`, on }, LOGS[name].label);
  }

  #choose(name: Name): void {
    for (const [other, tab] of this.#tabs) {
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
    }
    const log = LOGS[name].make();
    this.#log = log;
    this.#panel.setAttribute("aria-labelledby", `activity-${name}`);
    fill(this.#panel, log.element);
    this.#running.show();
    this.around.listen(undefined, {
      event: (event) => {
        this.#running.take(event);
        this.#log?.take(event);
      },
      reload: () => {
        this.#running.reload();
        this.#log?.reload();
      },
    });
  }

  /** Arrow keys move between tabs. */
  #key(event: KeyboardEvent, name: Name): void {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const along = event.key === "ArrowRight" ? 1 : NAMES.length - 1;
    const other = NAMES[(NAMES.indexOf(name) + along) % NAMES.length] ?? name;
    this.#choose(other);
    this.#tabs.get(other)?.focus();
  }
}
