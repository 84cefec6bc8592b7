// A bundle followed to its end: asked for once, and again whenever something is heard of it.

import type { BundleView } from "../../../generated/BundleView";
import { getBundle, stopBundle } from "../api";
import { fill, h } from "../element";
import { questionIn, type WireEvent } from "../events";
import { loading, problem, whileBusy } from "../parts";
import { Stepper, type Shape } from "./progress";

/** Nobody tells that an approved bundle waits for another, or no longer does: that is looked for. */
const LOOK_MILLIS = 4_000;

interface Around extends Omit<Shape, "stop"> {
  /** Called with every look at it. */
  seen?(view: BundleView): void;
}

export class LiveBundle {
  readonly element: HTMLElement;
  readonly #stepper: Stepper;
  readonly #body = h("div", { class: "live" }, loading("Loading the steps"));
  readonly #notice = h("div", { class: "notice-slot" });
  #view: BundleView | undefined;
  #looking = false;
  /** Something was heard while a look was on its way: it may be older than that. */
  #again = false;
  #next: ReturnType<typeof setTimeout> | undefined;
  #wasConnected = false;

  /** `view` is what is known already. */
  constructor(
    readonly id: string,
    private readonly around: Around,
    view?: BundleView,
  ) {
    this.#stepper = new Stepper({ ...around, stop: (button) => void this.#stop(button) });
    this.element = h(
      "section",
      { class: "live-bundle", "aria-label": "Progress", "data-testid": "bundle-progress", "data-bundle-id": id },
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
    if (concerns(event, this.id) || (event.event === "action_result" && this.#view?.behind === event.data.call.id)) {
      this.reload();
    }
  }

  reload(): void {
    void this.#look();
  }

  put(view: BundleView): void {
    this.#view = view;
    if (this.#body.firstChild !== this.#stepper.element) fill(this.#body, this.#stepper.element);
    this.#stepper.show(view);
    this.around.seen?.(view);
    this.#lookLater(view);
  }

  async #look(): Promise<void> {
    this.#again = this.#looking;
    if (this.#looking) return;
    this.#looking = true;
    try {
      this.put(await getBundle(this.id));
    } catch (error) {
      // What is shown stays; the next event or look brings the rest.
      if (this.#view) this.#lookLater(this.#view);
      else
        fill(
          this.#body,
          problem(error, () => this.reload()),
        );
    } finally {
      this.#looking = false;
    }
    if (this.#again) this.reload();
  }

  #lookLater({ state }: BundleView): void {
    clearTimeout(this.#next);
    this.#wasConnected ||= this.element.isConnected;
    const isLeft = this.#wasConnected && !this.element.isConnected;
    // A person may take hours to answer, and that is told.
    if ((state !== "approved" && state !== "running") || isLeft) return;
    this.#next = setTimeout(() => this.reload(), LOOK_MILLIS);
  }

  async #stop(button: HTMLButtonElement): Promise<void> {
    fill(this.#notice);
    try {
      await whileBusy(button, "Stopping…", async () => this.put(await stopBundle(this.id)));
    } catch (error) {
      fill(this.#notice, problem(error));
      this.reload();
    }
  }
}

/** Whether an event says anything new of a bundle. */
export function concerns(event: WireEvent, id: string): boolean {
  return bundleIn(event) === id;
}

/** The bundle, by the id of its call, that may look different after an event. */
export function bundleIn(event: WireEvent): string | undefined {
  if (event.event === "tx_status") return event.data.bundleId;
  if (event.event === "action_result") return event.data.call.id;
  const prompt = questionIn(event);
  return prompt && "callId" in prompt ? prompt.callId : undefined;
}
