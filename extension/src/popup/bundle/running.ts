// Running bundles on top of a view, also after the approval page was closed.

import type { BundleView } from "../../../generated/BundleView";
import { getBundles } from "../api";
import { fill, h } from "../element";
import type { WireEvent } from "../events";
import { plural, t } from "../i18n";
import { plain } from "../plain";
import { bundleIn, LiveBundle } from "./live";

/** At most this many are shown. */
const SHOWN = 2;
/** How long the outcome stays visible. */
const ENDED_MILLIS = 8_000;

export class RunningBundles {
  readonly element = h("div", { class: "running", hidden: true, "data-testid": "running-bundles" });
  readonly #live = new Map<string, LiveBundle>();
  readonly #heads = new Map<string, HTMLElement>();
  #order = "";

  /** `wants` decides whether a bundle is shown here. */
  constructor(private readonly wants: (id: string) => boolean) {}

  take(event: WireEvent): void {
    const id = bundleIn(event);
    if (id === undefined) return;
    const live = this.#live.get(id);
    if (live) live.take(event);
    else if (event.event === "bundle") this.reload();
  }

  reload(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    const pages = [getBundles({ state: "running" }), getBundles({ state: "approved" })];
    const found = await Promise.all(pages).catch(() => undefined);
    if (!found) return;
    const bundles = found.flatMap((page) => page.bundles);
    for (const bundle of bundles) this.#put(bundle);
    // A bundle that is no longer listed has ended; reloading shows how.
    for (const [id, live] of this.#live) if (!bundles.some((bundle) => bundle.id === id)) live.reload();
    this.show();
  }

  #put(bundle: BundleView): void {
    const known = this.#live.get(bundle.id);
    if (known) return known.put(bundle);
    this.#heads.set(bundle.id, h("h2", {}, nameOf(bundle)));
    const seen = (view: BundleView): void => {
      if (view.state === "done") setTimeout(() => this.#drop(view.id), ENDED_MILLIS);
    };
    this.#live.set(bundle.id, new LiveBundle(bundle.id, { heading: "h3", compact: true, seen }, bundle));
  }

  #drop(id: string): void {
    this.#live.delete(id);
    this.#heads.delete(id);
    this.show();
  }

  /** Also called when `wants` has changed. */
  show(): void {
    const wanted = [...this.#live.keys()].filter((id) => this.wants(id)).sort();
    const order = wanted.join(" ");
    // Replacing identical elements would move the keyboard focus.
    if (order === this.#order) return;
    this.#order = order;
    const hidden = wanted.length - SHOWN;
    this.element.hidden = wanted.length === 0;
    const more = t(plural(hidden, "bundle_more_running_one", "bundle_more_running_other"), hidden);
    fill(
      this.element,
      ...wanted.slice(0, SHOWN).map((id) => {
        const live = this.#live.get(id);
        return h("article", { class: "running-bundle" }, this.#heads.get(id), live?.element);
      }),
      hidden > 0 && h("p", { class: "hint" }, more),
    );
  }
}

function nameOf({ label, steps }: BundleView): string {
  if (label !== null && label !== "") return plain(label);
  return t(plural(steps.length, "bundle_name_one", "bundle_name_other"), steps.length);
}
