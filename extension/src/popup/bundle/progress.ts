// A bundle's progress: each step with its transactions, their hashes and clocks. Used by the approval page, by cards
// and by the history; `compact` leaves out details.

import type { BundleView } from "../../../generated/BundleView";
import type { Step } from "../../../generated/Step";
import type { StepProgress } from "../../../generated/StepProgress";
import type { StepStatus } from "../../../generated/StepStatus";
import type { TransactionProgress } from "../../../generated/TransactionProgress";
import { fill, h, icon } from "../element";
import { shortHash } from "../format";
import { t } from "../i18n";
import { copyButton } from "../parts";
import { plain } from "../plain";
import {
  announcement,
  canStop,
  clockWords,
  headOf,
  isSkipped,
  isUnderWay,
  lateWords,
  marksOf,
  ROLE_WORDS,
  STAGES,
  statusOf,
  statusWords,
  stepWords,
  stopWords,
  problemOf,
  type Tone,
} from "./progress-words";

const TICK_MILLIS = 1_000;

export interface Shape {
  heading: "h1" | "h2" | "h3";
  compact?: boolean;
  /** Stops the bundle before its next step. */
  stop(button: HTMLButtonElement): void;
}

export class Stepper {
  readonly element: HTMLElement;
  readonly #head: HTMLElement;
  readonly #sign = h("span", { class: "progress-sign" });
  readonly #text = h("p", { class: "progress-text" });
  readonly #stop = h("div", { class: "progress-stop" });
  readonly #list = h("ol", { class: "steps progress-steps" });
  /** The only live region, so that clocks are not announced. */
  readonly #said = h("span", { class: "visually-hidden", role: "status" });
  readonly #items = new Map<number, { rendered: string; element: HTMLElement }>();
  readonly #clocks = new Map<HTMLElement, TransactionProgress>();
  #ticking: ReturnType<typeof setInterval> | undefined;
  #wasConnected = false;

  constructor(private readonly shape: Shape) {
    this.#head = h(shape.heading, { class: "progress-title", tabindex: -1, "data-testid": "bundle-state" });
    this.element = h(
      "div",
      { class: shape.compact ? "progress compact" : "progress", "aria-live": "off" },
      h("div", { class: "progress-head" }, this.#sign, h("div", {}, this.#head, this.#text), this.#stop),
      this.#list,
      this.#said,
    );
  }

  /** Where a screen reader starts. */
  focus(): void {
    this.#head.focus();
  }

  show(view: BundleView): void {
    const focused = this.#focused();
    this.#showHead(view);
    const ended = view.state === "done";
    view.steps.forEach((step, place) => {
      const progress = view.progress[place];
      if (progress) this.#put(step, settled(progress, ended), { ended, number: place + 1 });
    });
    const said = announcement(view);
    if (this.#said.textContent !== said) this.#said.textContent = said;
    if (focused !== undefined && !this.element.contains(document.activeElement)) this.#refocus(focused);
    this.#tick();
  }

  #showHead(view: BundleView): void {
    const { tone, title, text } = headOf(view);
    const ended = view.state === "done";
    this.element.dataset["tone"] = tone;
    this.#head.textContent = title;
    this.#head.dataset["state"] = view.state;
    fill(this.#sign, toneSign(tone, view));
    this.#text.textContent = text;
    this.#text.hidden = text === "";
    // The result element exists only once there is a result.
    if (ended) this.#text.parentElement?.setAttribute("data-testid", "bundle-result");
    else this.#text.parentElement?.removeAttribute("data-testid");
    this.#showStop(view);
  }

  #showStop(view: BundleView): void {
    if (view.stopping && view.state !== "done") {
      const words = view.state === "running" ? t("bundle_stopping_after") : t("bundle_stopping_now");
      const state = { class: "stopping", "data-testid": "bundle-stopping" };
      return fill(this.#stop, h("p", state, h("span", { class: "spinner", "aria-hidden": "true" }), words));
    }
    if (!canStop(view)) return fill(this.#stop);
    const words = stopWords(view);
    if (this.#stop.querySelector("button")?.title === words) return;
    const button = h(
      "button",
      { type: "button", class: "danger", title: words, "aria-label": words, "data-testid": "bundle-stop" },
      icon("stop"),
      this.shape.compact ? t("bundle_stop") : words,
    );
    button.addEventListener("click", () => this.shape.stop(button));
    fill(this.#stop, button);
  }

  /** Only changed steps are rendered again, so that a focused button is kept. */
  #put(step: Step, progress: StepProgress, around: Around): void {
    const rendered = JSON.stringify([progress, around]);
    const known = this.#items.get(step.sequence);
    if (known?.rendered === rendered) return;
    const element = this.#item(step, progress, around);
    if (known) known.element.replaceWith(element);
    else this.#list.append(element);
    this.#items.set(step.sequence, { rendered, element });
  }

  #item(step: Step, progress: StepProgress, around: Around): HTMLElement {
    const { sequence, status } = progress;
    const trouble = problemOf(progress);
    const several = progress.transactions.length > 1;
    const isGrave = status === "failed" || status === "timeout";
    return h(
      "li",
      {
        class: "progress-step",
        "data-testid": `bundle-step-${sequence}`,
        "data-chain": step.chain,
        "data-status": status,
        "data-skipped": isSkipped(status, around.ended),
      },
      h("span", { class: "progress-icon" }, statusSign(status, around.ended)),
      h(
        "div",
        { class: "progress-main" },
        h(
          "header",
          {},
          h("h4", {}, t("bundle_step", around.number)),
          h("span", { class: "chain" }, step.chain),
          h(
            "span",
            { class: "progress-status", "data-testid": `bundle-step-${sequence}-status`, "data-status": status },
            statusWords(status, around.ended),
          ),
        ),
        h("p", { class: "progress-what" }, plain(stepWords(step))),
        ...progress.transactions.map((transaction, index) =>
          this.#transaction(transaction, { ...around, several, name: `bundle-step-${sequence}`, index }),
        ),
        trouble !== undefined &&
          h("p", { class: isGrave ? "progress-error" : "hint", "data-testid": "bundle-step-error" }, plain(trouble)),
      ),
    );
  }

  #transaction(transaction: TransactionProgress, around: Around & Place): HTMLElement | undefined {
    const { status, txHash } = transaction;
    const { ended, several, name, index } = around;
    if (status === "queued" && !several) return undefined;
    if (this.shape.compact && !isUnderWay(status)) return undefined;
    const late = lateWords(transaction);
    return h(
      "div",
      { class: "progress-transaction", "data-status": status },
      several &&
        h("p", { class: "progress-role" }, h("b", {}, ROLE_WORDS[transaction.role]), ` ${statusWords(status, ended)}`),
      // The stages are drawn only between start and end; before and after, the status is enough.
      !this.shape.compact && status !== "queued" && status !== "confirmed" && track(transaction),
      late !== undefined && h("p", { class: "progress-late", "data-testid": "bundle-late" }, late),
      h(
        "div",
        { class: "progress-facts" },
        this.#clock(transaction),
        txHash !== null && !this.shape.compact && hashLine(transaction, txHash, `${name}-${index}`),
      ),
    );
  }

  #clock(transaction: TransactionProgress): HTMLElement | undefined {
    const words = clockWords(transaction, Date.now());
    if (words === "") return undefined;
    const clock = h("p", { class: "clock" }, words);
    if (isUnderWay(transaction.status)) this.#clocks.set(clock, transaction);
    return clock;
  }

  #tick(): void {
    if (this.#ticking !== undefined || this.#clocks.size === 0) return;
    this.#ticking = setInterval(() => {
      this.#wasConnected ||= this.element.isConnected;
      const isLeft = this.#wasConnected && !this.element.isConnected;
      for (const [clock, transaction] of this.#clocks) {
        if (this.element.contains(clock)) clock.textContent = clockWords(transaction, Date.now());
        else this.#clocks.delete(clock);
      }
      if (!isLeft && this.#clocks.size > 0) return;
      clearInterval(this.#ticking);
      this.#ticking = undefined;
    }, TICK_MILLIS);
  }

  #focused(): string | undefined {
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLElement) || !this.element.contains(activeElement)) return undefined;
    return activeElement.dataset["testid"] ?? "";
  }

  /** The focused element was rendered again or removed: then the heading gets the focus. */
  #refocus(testId: string): void {
    const found = testId === "" ? null : this.element.querySelector<HTMLElement>(`[data-testid="${testId}"]`);
    (found ?? this.#head).focus({ preventScroll: true });
  }
}

/** After the bundle's end no step is running. */
function settled(progress: StepProgress, ended: boolean): StepProgress {
  const transactions = progress.transactions.map((one) => ({ ...one, status: statusOf(one.status, ended) }));
  return { ...progress, status: statusOf(progress.status, ended), transactions };
}

interface Around {
  ended: boolean;
  /** The step's place, counted from 1. */
  number: number;
}

interface Place {
  several: boolean;
  /** The step's test id, a prefix of those inside. */
  name: string;
  index: number;
}

/** The stages of a transaction as a picture; the status text says the same. */
function track(transaction: TransactionProgress): HTMLElement {
  const marks = marksOf(transaction);
  const stage = (name: string, place: number): HTMLElement => h("li", { "data-mark": marks[place] ?? "open" }, name);
  return h("ol", { class: "track", "aria-hidden": "true" }, ...STAGES.map(stage));
}

function hashLine({ explorerUrl }: TransactionProgress, hash: string, name: string): HTMLElement {
  const look = { class: "icon-link", target: "_blank", rel: "noopener", title: t("bundle_explorer") };
  return h(
    "p",
    { class: "hash-line" },
    h("code", { title: hash, "data-testid": `${name}-hash`, "data-hash": hash }, shortHash(hash)),
    copyButton(t("bundle_copy_hash"), hash, `${name}-copy`),
    explorerUrl !== null &&
      h(
        "a",
        { ...look, href: explorerUrl, "aria-label": t("bundle_explorer"), "data-testid": `${name}-explorer` },
        icon("expand"),
      ),
  );
}

function statusSign(status: StepStatus, ended: boolean): Element {
  switch (status) {
    case "queued":
      return icon(ended ? "minus" : "clock");
    case "signing":
    case "signed":
    case "sent":
      return h("span", { class: "spinner", "aria-hidden": "true" });
    case "pending":
      return icon("send");
    case "confirmed":
      return icon("check");
    case "failed":
      return icon("cross");
    case "timeout":
      return icon("unclear");
  }
}

function toneSign(tone: Tone, { state }: BundleView): Element {
  switch (tone) {
    case "run":
      return h("span", { class: "spinner", "aria-hidden": "true" });
    case "wait":
      return icon(state === "done" ? "unclear" : "clock");
    case "good":
      return icon("check");
    case "bad":
      return icon("cross");
  }
}
