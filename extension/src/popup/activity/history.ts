// The history of bundles, newest first: state, outcome and every step.

import type { BundleState } from "../../../generated/BundleState";
import type { BundleView } from "../../../generated/BundleView";
import { CHAIN_NAMES } from "../../../generated/chains";
import { getBundles, type BundleFilter } from "../api";
import { bundlePart } from "../bundle/bundle";
import { bundleIn, LiveBundle } from "../bundle/live";
import { headOf, type Tone } from "../bundle/progress-words";
import { sourceWords } from "../describe";
import { fill, h, icon, type Child } from "../element";
import type { WireEvent } from "../events";
import { choice } from "../field";
import { day, fullTime, timeOfDay } from "../format";
import { plural, t } from "../i18n";
import { emptyState, loading, problem, whileBusy } from "../parts";
import { plain } from "../plain";
import type { Log } from "./log";

/** Events come in bursts; one reload covers them all. */
const SETTLE_MILLIS = 300;

const ALL = "";
type Choice = typeof ALL | Exclude<BundleState, "checked" | "done"> | "success" | "failed";

const STATES: readonly (readonly [Choice, string])[] = [
  [ALL, t("activity_state_all")],
  ["asking", t("activity_state_asking")],
  ["approved", t("activity_state_approved")],
  ["running", t("activity_state_running")],
  ["success", t("activity_state_success")],
  ["failed", t("activity_state_failed")],
];

export class History implements Log {
  readonly element: HTMLElement;
  readonly #state = choice(STATES, { "aria-label": t("activity_which_state"), "data-testid": "history-filter-state" });
  readonly #chain = choice([[ALL, t("activity_all_chains")], ...CHAIN_NAMES.map((name) => [name, name] as const)], {
    "aria-label": t("activity_which_chain"),
    "data-testid": "history-filter-chain",
  });
  readonly #list = h(
    "div",
    { class: "log", "aria-label": t("activity_bundles") },
    loading(t("activity_history_loading")),
  );
  readonly #more = h("div", { class: "more" });
  #wanted = new URLSearchParams(location.search).get("bundle");
  #bundles: BundleView[] = [];
  #cursor: string | null = null;
  readonly #rows = new Map<string, Row>();
  /** Ids of the shown rows. */
  #order = "";
  #news: ReturnType<typeof setTimeout> | undefined;
  /** Answers for an earlier filter are dropped. */
  #turn = 0;

  constructor() {
    for (const filter of [this.#state, this.#chain]) filter.addEventListener("change", () => this.#filtered());
    this.element = h(
      "div",
      { class: "log-page" },
      h("div", { class: "filters", role: "group", "aria-label": t("activity_show_only") }, this.#state, this.#chain),
      this.#list,
      this.#more,
    );
  }

  take(event: WireEvent): void {
    const id = bundleIn(event);
    if (id === undefined) return;
    for (const row of this.#rows.values()) row.take(event);
    clearTimeout(this.#news);
    this.#news = setTimeout(() => this.reload(), SETTLE_MILLIS);
  }

  reload(): void {
    void this.#load();
  }

  get #filter(): BundleFilter {
    const state = this.#state.value as Choice;
    const chain = this.#chain.value;
    return {
      ...(state === "success" || state === "failed" ? { outcome: state } : state === ALL ? {} : { state }),
      ...(chain === ALL ? {} : { chain }),
    };
  }

  #filtered(): void {
    this.#turn++;
    this.#bundles = [];
    this.#order = "";
    this.#rows.clear();
    fill(this.#list, loading(t("activity_history_loading")));
    fill(this.#more);
    this.reload();
  }

  /** Loads the first page again, or the one after `cursor`. */
  async #load(cursor?: string): Promise<void> {
    const turn = this.#turn;
    try {
      const page = await this.#page(cursor);
      if (turn !== this.#turn) return;
      this.#take(page.bundles, page.cursor, cursor);
      this.#render();
    } catch (error) {
      if (turn !== this.#turn) return;
      fill(
        this.#bundles.length === 0 ? this.#list : this.#more,
        problem(error, () => void this.#load(cursor)),
      );
    }
  }

  /** A page of the store may contain no match; the next one may. */
  async #page(cursor?: string): ReturnType<typeof getBundles> {
    let page = await getBundles(this.#filter, cursor);
    while (page.bundles.length === 0 && page.cursor !== null) page = await getBundles(this.#filter, page.cursor);
    return page;
  }

  #take(fresh: readonly BundleView[], next: string | null, cursor: string | undefined): void {
    if (cursor !== undefined) this.#bundles.push(...fresh);
    // Rows older than the first page are kept, with their cursor.
    const older = cursor === undefined && next !== null ? this.#bundles.filter(({ id }) => id < next) : [];
    if (cursor === undefined) this.#bundles = [...fresh, ...older];
    if (cursor !== undefined || older.length === 0) this.#cursor = next;
  }

  #render(): void {
    const lines = this.#lines();
    const order = this.#bundles.map(({ id }) => id).join(" ");
    // Replacing identical rows would move the keyboard focus.
    if (order === "") fill(this.#list, this.#empty());
    else if (order !== this.#order) fill(this.#list, ...lines);
    this.#order = order;
    const older = h("button", { type: "button", "data-testid": "history-more" }, t("activity_more"));
    const cursor = this.#cursor ?? undefined;
    older.addEventListener("click", () => void whileBusy(older, t("activity_loading_more"), () => this.#load(cursor)));
    fill(this.#more, cursor !== undefined && older);
  }

  #lines(): Child[] {
    const lines: Child[] = [];
    let heading = "";
    for (const bundle of this.#bundles) {
      const date = day(bundle.createdAt);
      if (date !== heading) lines.push(h("h2", {}, date));
      heading = date;
      const row = this.#rows.get(bundle.id) ?? new Row(bundle);
      this.#rows.set(bundle.id, row);
      row.show(bundle);
      if (bundle.id === this.#wanted) this.#reveal(row);
      lines.push(row.element);
    }
    return lines;
  }

  /** A website asked for this one to be shown: once, when it is there. */
  #reveal(row: Row): void {
    this.#wanted = null;
    row.element.open = true;
    requestAnimationFrame(() => row.element.scrollIntoView({ block: "start" }));
  }

  #empty(): HTMLElement {
    if (Object.keys(this.#filter).length === 0) {
      const text = t("activity_history_empty_text");
      return emptyState("activity", t("activity_history_empty"), text);
    }
    const clear = h("button", { type: "button", "data-testid": "history-filter-clear" }, t("activity_show_all"));
    clear.addEventListener("click", () => {
      this.#state.value = ALL;
      this.#chain.value = ALL;
      this.#filtered();
      this.#state.focus();
    });
    return emptyState("search", t("activity_no_matches"), t("activity_no_matches_text"), clear);
  }
}

/** A row of the history, with the bundle's details below it. */
class Row {
  readonly element: HTMLDetailsElement;
  readonly #summary = h("summary", {});
  readonly #body = h("div", { class: "history-body" });
  #bundle: BundleView;
  #live: LiveBundle | undefined;

  constructor(bundle: BundleView) {
    this.#bundle = bundle;
    this.element = h(
      "details",
      { class: "log-entry", "data-testid": "history-row", on: { toggle: () => this.#toggled() } },
      this.#summary,
      this.#body,
    );
  }

  take(event: WireEvent): void {
    this.#live?.take(event);
  }

  show(bundle: BundleView): void {
    const { tone, title } = headOf(bundle);
    this.#bundle = bundle;
    this.element.dataset["bundleId"] = bundle.id;
    this.element.dataset["state"] = bundle.state;
    if (bundle.success !== null) this.element.dataset["outcome"] = bundle.success ? "success" : "failed";
    fill(
      this.#summary,
      h("span", { class: "card-icon history-icon", "data-tone": tone }, toneIcon(tone)),
      h(
        "span",
        { class: "log-main" },
        h("span", { class: "log-title" }, plain(bundle.label || bundleOf(bundle))),
        h("span", { class: "muted small" }, `${title} · ${chainsOf(bundle)}`),
      ),
      h("time", { class: "muted small" }, timeOfDay(bundle.createdAt)),
    );
    this.#live?.put(bundle);
  }

  /** Created when opened: a page of fifty bundles has hundreds of steps. */
  #toggled(): void {
    if (!this.element.open || this.#live) return;
    const bundle = this.#bundle;
    this.#live = new LiveBundle(bundle.id, { heading: "h3", seen: (view) => this.#seen(view) }, bundle);
    fill(
      this.#body,
      this.#live.element,
      h("details", {}, h("summary", {}, t("activity_requested")), bundlePart(bundle)),
      h(
        "p",
        { class: "hint" },
        t("activity_asked_for", sourceWords(bundle.source), fullTime(bundle.createdAt), plain(bundle.vaultName)),
      ),
    );
  }

  #seen(view: BundleView): void {
    if (this.#live && view.state !== this.#bundle.state) this.show(view);
  }
}

function toneIcon(tone: Tone): Element {
  switch (tone) {
    case "run":
      return h("span", { class: "spinner", "aria-hidden": "true" });
    case "wait":
      return icon("clock");
    case "good":
      return icon("check");
    case "bad":
      return icon("cross");
  }
}

/** A text for a bundle without a label. */
function bundleOf({ steps }: BundleView): string {
  return t(plural(steps.length, "activity_bundle_of_one", "activity_bundle_of_other"), steps.length);
}

/** "3 steps on Ethereum and Base"; many chains only by their number. */
function chainsOf({ steps }: BundleView): string {
  const names = [...new Set(steps.map(({ chain }) => chain))];
  const where = names.length > 3 ? t("activity_chains", names.length) : names.join(", ");
  return t(plural(steps.length, "activity_steps_on_one", "activity_steps_on_other"), steps.length, where);
}
