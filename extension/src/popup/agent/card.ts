// One action of the agent: running, waiting for the user, then done or failed with its result.

import type { Bundle } from "../../../generated/Bundle";
import type { BundleView } from "../../../generated/BundleView";
import type { Call } from "../../../generated/Call";
import type { Progress as ToolProgress } from "../../../generated/Progress";
import type { Prompt } from "../../../generated/Prompt";
import { getBundle, getCall, getPrompt } from "../api";
import { bundlePart, senderWords, transactionsIn } from "../bundle/bundle";
import { LiveBundle } from "../bundle/live";
import { intentOf, isBundle, outcomeOf, progressOf, PROGRESS_WORDS, rowsOf, titleOf, type Progress } from "../describe";
import { fill, h, icon, type Child } from "../element";
import type { WireEvent } from "../events";
import { pretty, timeOfDay } from "../format";
import { plural, t, tParts } from "../i18n";
import { definitionPart } from "../mcp/definition";
import { spinner } from "../parts";
import { plain } from "../plain";
import { previewPart } from "../preview";
import { reasonHints } from "../reason-words";
import { stopButton } from "../stop-button";
import { Answers } from "../prompt/answers";
import { confirmParts } from "../prompt/confirm";
import { elicitationParts, type Elicitation } from "../prompt/elicitation";
import { approvalPage } from "../prompt/page";
import { callProgress } from "../tool-message/progress";
import { entryList } from "./entries";

/** So many of the last parts of an answer are shown while it comes. */
const MAX_PROGRESS = 5;

/** For prompts that do not ask whether the call may run. */
const ASKED_WORDS: Partial<Record<Prompt["kind"], string>> = {
  password_required: t("agent_password_required"),
  elicitation: t("agent_server_asks"),
};

export class ActionCard {
  readonly element: HTMLElement;
  #call: Call;
  #prompt: Prompt | undefined;
  #bundle: BundleView | undefined;
  /** The bundle's progress, once it has started. */
  #live: LiveBundle | undefined;
  #answers: Answers | undefined;
  readonly #progress = h("ol", { class: "progress", hidden: true, "aria-label": t("tools_progress"), "data-testid": "card-progress" });
  /** How far the tool says it is. */
  readonly #measured = h("div", { class: "notice-slot" });
  /** What was rendered last: rendering it again would discard what the user types. */
  #rendered = "";

  constructor(call: Call, prompt?: Prompt) {
    this.#call = call;
    this.element = h("article", { class: "card", tabindex: -1, "data-testid": "action-card" });
    this.update(call, prompt);
  }

  get call(): Call {
    return this.#call;
  }

  update(call: Call, prompt?: Prompt): void {
    this.#call = call;
    this.#prompt = prompt ?? this.#prompt;
    this.#renderIfNew();
    void this.#complete();
  }

  /** A part of an answer that comes in parts, while it comes. */
  progressed(data: string): void {
    if (this.#call.state.name === "done") return;
    this.#progress.hidden = false;
    this.#progress.append(h("li", {}, plain(data)));
    if (this.#progress.childElementCount > MAX_PROGRESS) this.#progress.firstElementChild?.remove();
  }

  /** How far the tool says it is. */
  measured(progress: ToolProgress): void {
    if (this.#call.state.name !== "done") fill(this.#measured, callProgress(progress));
  }

  /** An event of the bundle's transactions. */
  take(event: WireEvent): void {
    if (this.#live) this.#live.take(event);
    else void this.#complete();
  }

  /** The prompt that the call waits for, once known: one call may prompt twice. */
  get #question(): Prompt | undefined {
    const { state } = this.#call;
    return state.name === "waiting" && this.#prompt?.id === state.promptId ? this.#prompt : undefined;
  }

  /** Loads what the card shows besides the call itself. */
  async #complete(): Promise<void> {
    const { id, state } = this.#call;
    if (state.name === "waiting" && !this.#question) {
      this.#prompt = await getPrompt(state.promptId).catch(() => this.#prompt);
    }
    if (state.name === "waiting" && this.#call.shown === undefined) {
      const call = await getCall(id).catch(() => undefined);
      if (call?.state.name === "waiting" && this.#call.state === state) this.#call = call;
    }
    // A bundle that was refused before decoding has no record.
    if (isBundle(this.#call)) this.#bundle = await getBundle(id).catch(() => this.#bundle);
    if (this.#bundle && isBegun(this.#bundle)) this.#follow(this.#bundle);
    this.#renderIfNew();
  }

  #follow(bundle: BundleView): void {
    if (this.#live) this.#live.put(bundle);
    else this.#live = new LiveBundle(bundle.id, { heading: "h3" }, bundle);
  }

  #renderIfNew(): void {
    const next = JSON.stringify([this.#call, this.#question?.id, this.#bundle?.id, this.#live?.id]);
    if (next === this.#rendered) return;
    this.#rendered = next;
    this.#render();
  }

  #render(): void {
    const call = this.#call;
    const progress = progressOf(call);
    const hadFocus = this.element.contains(document.activeElement);
    const wasOpen = this.element.querySelector<HTMLDetailsElement>("details.raw")?.open ?? false;
    const title = plain(titleOf(call));
    const definition = progress === "waiting" ? definitionPart(call, this.#question) : undefined;

    this.#answers?.stop();
    this.element.dataset["state"] = progress;
    this.element.dataset["actionId"] = call.actionId;
    this.element.setAttribute("aria-label", `${title}: ${PROGRESS_WORDS[progress]}`);
    fill(
      this.element,
      h(
        "header",
        {},
        h("span", { class: "card-icon" }, progressIcon(progress)),
        h("h3", {}, title),
        h("span", { class: "chip" }, PROGRESS_WORDS[progress]),
      ),
      call.description !== undefined && h("p", { class: "card-description" }, plain(call.description)),
      progress === "waiting" && this.#asked(),
      !this.#live && outcome(call),
      this.#live?.element,
      isBundle(call) ? bundleSteps(this.#bundle, progress) : entryList(call, progress === "waiting"),
      // A server asks when the request was sent.
      progress === "waiting" && this.#question?.kind !== "elicitation" && previewPart(call),
      ...(progress === "waiting" && (call.preview || definition) ? reasonHints(this.#question) : []),
      definition,
      progress === "running" && this.#measured,
      progress === "running" && this.#progress,
      stopButton(call),
      ...this.#ways(),
      raw(call, wasOpen),
    );
    // The pressed button is gone; the focus stays on the card.
    if (hadFocus) this.element.focus({ preventScroll: true });
  }

  #asked(): HTMLElement {
    const prompt = this.#question;
    const words = (prompt && ASKED_WORDS[prompt.kind]) ?? `${this.#intent()}?`;
    const until = prompt && t("agent_waits_until", timeOfDay(prompt.expiresAt));
    return h(
      "p",
      { class: "question" },
      h("strong", {}, words),
      h("span", { class: "muted" }, prompt?.kind !== "elicitation" && t("agent_nothing_before"), until ?? ""),
    );
  }

  #intent(): string {
    if (!this.#bundle) return intentOf(this.#call) ?? t("agent_run_this");
    const amount = transactionsIn(this.#bundle);
    return t(plural(amount, "call_sign_transactions_one", "call_sign_transactions_other"), amount);
  }

  /** The user's way to answer: here, or on the approval page for signatures. */
  #ways(): readonly Child[] {
    const prompt = this.#question;
    if (!prompt) return [];
    if (prompt.kind === "elicitation") return this.#elicitation(prompt);
    if (prompt.kind !== "confirmation_required") {
      const words = prompt.kind === "password_required" ? t("agent_enter_password") : t("agent_review");
      const way = { class: "button primary", href: approvalPage(prompt.id), "data-testid": "card-review" };
      return [h("div", { class: "buttons" }, h("a", way, words))];
    }
    const { shown } = this.#call;
    // A call that an event changed is loaded again: its digest comes with the record.
    if (shown === undefined) return [];
    const answers = new Answers(prompt, shown, { settled: () => void this.#look() });
    this.#answers = answers;
    const { choices, buttons } = confirmParts({ answers, asker: senderWords(this.#call.source), params: this.#call.params });
    return [choices, answers.notice, buttons];
  }

  /** What an MCP server wants to know, with the form to answer it. */
  #elicitation(prompt: Elicitation): readonly Child[] {
    // The question is the prompt itself.
    const answers = new Answers(prompt, prompt.subject, { settled: () => void this.#look() });
    this.#answers = answers;
    const { body, buttons } = elicitationParts(prompt, answers);
    return [body, answers.notice, buttons];
  }

  /** The record has the outcome, wherever it was answered. */
  async #look(): Promise<void> {
    const call = await getCall(this.#call.id).catch(() => undefined);
    if (call && call.state.name !== "waiting") this.update(call);
  }
}

export function progressIcon(progress: Progress): Element {
  switch (progress) {
    case "running":
      return spinner(t("call_running"));
    case "waiting":
      return icon("pen");
    case "done":
      return icon("check");
    case "failed":
      return icon("cross");
  }
}

/** Before it starts, its effects matter more than its progress. */
const isBegun = ({ state, progress }: BundleView): boolean =>
  state === "approved" || state === "running" || progress.some(({ status }) => status !== "queued");

/** In full before a decision and when blocked; afterwards folded. */
function bundleSteps(bundle: Bundle | undefined, progress: Progress): HTMLElement | undefined {
  if (!bundle) return undefined;
  if (progress === "waiting" || bundle.verdict.name === "block") return bundlePart(bundle);
  const amount = bundle.steps.length;
  const summary = t(plural(amount, "agent_steps_one", "agent_steps_other"), amount);
  return h("details", {}, h("summary", {}, summary), bundlePart(bundle));
}

function outcome(call: Call): HTMLElement | undefined {
  const text = outcomeOf(call);
  const saidByRow = rowsOf(call).some(({ error }) => error === text);
  return text === undefined || saidByRow ? undefined : h("p", { class: "outcome" }, plain(text));
}

function raw(call: Call, open: boolean): HTMLElement {
  const result: Child = call.state.name === "done" && h("pre", {}, plain(pretty(call.state.result)));
  return h(
    "details",
    { class: "raw", open },
    h("summary", {}, t("agent_details")),
    h("div", { class: "detail-label" }, ...tParts("agent_sent_as", h("code", {}, call.type))),
    h("pre", {}, plain(pretty(call.params))),
    result && h("div", { class: "detail-label" }, t("agent_result")),
    result,
  );
}
