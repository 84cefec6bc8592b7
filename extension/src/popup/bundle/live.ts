// A bundle followed to its end: loaded once, and again after every event about it.

import type { BundleView } from "../../../generated/BundleView";
import { getBundle, stopBundle } from "../api";
import { fill, h } from "../element";
import { promptIn, type WireEvent } from "../events";
import { t } from "../i18n";
import { loading, problem, whileBusy } from "../parts";
import { RequestError } from "../request";
import { Stepper, type Shape } from "./progress";

const RETRY_MILLIS = 2_000;

interface Around extends Omit<Shape, "stop"> {
  /** Called with every loaded state. */
  seen?(view: BundleView): void;
}

export class LiveBundle {
  readonly element: HTMLElement;
  readonly #stepper: Stepper;
  readonly #body = h("div", { class: "live" }, loading(t("bundle_loading")));
  readonly #notice = h("div", { class: "notice-slot" });
  #view: BundleView | undefined;
  #looking = false;
  /** An event arrived during a load, whose answer may be older. */
  #again = false;

  /** `view` is the state that is already known. */
  constructor(
    readonly id: string,
    private readonly around: Around,
    view?: BundleView,
  ) {
    this.#stepper = new Stepper({ ...around, stop: (button) => void this.#stop(button) });
    this.element = h(
      "section",
      {
        class: "live-bundle",
        "aria-label": t("bundle_progress"),
        "data-testid": "bundle-progress",
        "data-bundle-id": id,
      },
      this.#body,
      this.#notice,
    );
    if (view) this.put(view);
  }

  get view(): BundleView | undefined {
    return this.#view;
  }

  focus(): void {
    this.#stepper.focus();
  }

  take(event: WireEvent): void {
    if (bundleIn(event) === this.id) this.reload();
  }

  reload(): void {
    void this.#look();
  }

  put(view: BundleView): void {
    this.#view = view;
    if (this.#body.firstChild !== this.#stepper.element) fill(this.#body, this.#stepper.element);
    this.#stepper.show(view);
    this.around.seen?.(view);
  }

  async #look(): Promise<void> {
    this.#again = this.#looking;
    if (this.#looking) return;
    this.#looking = true;
    try {
      this.put(await getBundle(this.id));
    } catch (error) {
      const again = (): void => this.reload();
      // The shown state stays. A worker that stopped during the request is back in a moment.
      if (!this.#view) fill(this.#body, problem(error, again));
      else if (error instanceof RequestError && error.status === 0) setTimeout(again, RETRY_MILLIS);
    } finally {
      this.#looking = false;
    }
    if (this.#again) this.reload();
  }

  async #stop(button: HTMLButtonElement): Promise<void> {
    fill(this.#notice);
    try {
      await whileBusy(button, t("bundle_stopping"), async () => this.put(await stopBundle(this.id)));
    } catch (error) {
      fill(this.#notice, problem(error));
      this.reload();
    }
  }
}

/** The bundle, by the id of its call, that an event may change. */
export function bundleIn(event: WireEvent): string | undefined {
  if (event.event === "tx_status" || event.event === "bundle") return event.data.bundleId;
  if (event.event === "action_result") return event.data.call.id;
  return promptIn(event)?.callId;
}
