// Navigation between the views, with the number of open prompts.

import { getPrompts } from "./api";
import { h, icon } from "./element";
import { promptIn, type WireEvent } from "./events";
import { plural, t } from "./i18n";
import { PromptBar } from "./prompt/bar";
import type { ViewName } from "./view";

const LABELS: Record<ViewName, string> = {
  agent: t("common_agent"),
  wallet: t("common_wallet"),
  contacts: t("common_contacts"),
  activity: t("common_activity"),
  tools: t("tools_title"),
  settings: t("common_settings"),
};

export const VIEW_NAMES = Object.keys(LABELS) as ViewName[];

export class Nav {
  readonly element: HTMLElement;
  /** Links to the prompts. */
  readonly bar = new PromptBar();
  readonly #items: Map<ViewName, HTMLElement>;
  readonly #waiting = h("span", { class: "badge", hidden: true });

  constructor(go: (view: ViewName) => void) {
    this.#items = new Map(
      VIEW_NAMES.map((name) => {
        const click = (event: Event): void => {
          event.preventDefault();
          go(name);
        };
        const item = h(
          "a",
          { href: `#${name}`, "data-testid": `nav-${name}`, on: { click } },
          icon(name),
          h("span", {}, LABELS[name]),
          name === "agent" && this.#waiting,
        );
        return [name, item];
      }),
    );
    this.element = h("nav", { "aria-label": t("common_main") }, ...this.#items.values());
  }

  mark(current: ViewName): void {
    for (const [name, item] of this.#items) {
      if (name === current) item.setAttribute("aria-current", "page");
      else item.removeAttribute("aria-current");
    }
  }

  /** Only these events change which prompts are open. */
  take(event: WireEvent): void {
    if (promptIn(event) || event.event === "action_result") void this.countQuestions();
  }

  async countQuestions(): Promise<void> {
    const prompts = await getPrompts().catch(() => undefined);
    if (!prompts) return;
    this.bar.show(prompts);
    this.#waiting.hidden = prompts.length === 0;
    this.#waiting.textContent = String(prompts.length);
    this.#waiting.title = t(plural(prompts.length, "common_requests_one", "common_requests_other"), prompts.length);
  }
}
