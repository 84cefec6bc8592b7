// Shows one prompt after the other, until none is left. Everything shown follows the core's records and events.

import type { BundleView } from "../../generated/BundleView";
import type { Call } from "../../generated/Call";
import type { Prompt } from "../../generated/Prompt";
import type { PromptOutcome } from "../../generated/PromptOutcome";
import { getCall, getPrompt, getPrompts } from "../popup/api";
import { LiveBundle } from "../popup/bundle/live";
import { outcomeOf, progressOf } from "../popup/describe";
import { fill, h } from "../popup/element";
import { promptIn, type Listener, type WireEvent } from "../popup/events";
import { timeOfDay } from "../popup/format";
import { t } from "../popup/i18n";
import { emptyState, loading, problem, spinner } from "../popup/parts";
import { Answers, type Settled } from "../popup/prompt/answers";
import { RequestError } from "../popup/request";
import { bundleFacts } from "./approval";
import { answerable, fateOf, FateState } from "./fate";
import { load, partsOf, shownIn } from "./prompt";
import { Queue } from "./queue";

interface Around {
  /** The prompt to start with. */
  first: string | null;
  /** This page for all open prompts. */
  all: string;
  /** Nothing is left to decide; the final text stays for this time, or without a limit. */
  finished(millis?: number): void;
  /** Nothing is left to decide, and a bundle is running. */
  watching(): void;
  /** A new prompt has opened. */
  unfinished(): void;
}

const GOOD_NEWS_MILLIS = 2_000;
const BAD_NEWS_MILLIS = 6_000;

export class Page implements Pick<Listener, "event" | "reload"> {
  readonly place = h("span", { class: "muted small", "data-testid": "prompt-place" });
  readonly note = h("div", { class: "note", role: "status", "data-testid": "prompt-note" });
  readonly main = h("main", { id: "main", class: "approve" }, loading(t("approve_loading")));
  readonly foot = h("footer", { class: "answers" });
  readonly #queue: Queue;
  #answers: Answers | undefined;
  #shown: Prompt | undefined;
  #isLoaded = false;
  /** Events about prompts so far. */
  #heard = 0;
  /** An answer is being sent from here: events about its prompt are expected. */
  #isLeaving = false;
  /** The call that continues after an approval here: it may prompt for the password next. */
  #following: string | undefined;
  /** The approved bundle while it runs. Only the last one is shown; the others are in the wallet. */
  #live: LiveBundle | undefined;
  /** Set if the prompt that the page was opened for is not open: no other one is shown in its place. */
  #fate: FateState | undefined;
  readonly #about = h("div", { class: "about-progress" });

  constructor(private readonly around: Around) {
    this.#queue = new Queue(around.first);
  }

  /** Whether the prompt is among those that the page shows in turn, or was settled while it was. */
  knows(promptId: string): boolean {
    return this.#queue.has(promptId);
  }

  /** Whether the page tells how a prompt ended that was not open any more when the page opened. */
  get tellsFate(): boolean {
    return this.#fate !== undefined;
  }

  event(event: WireEvent): void {
    const prompt = promptIn(event);
    this.#live?.take(event);
    if (event.event === "action_result" && event.data.call.id === this.#following) void this.#ended(this.#following);
    if (!prompt || (this.#isLeaving && prompt.id === this.#shown?.id)) return;
    this.#heard += 1;
    const { id, outcome } = prompt;
    if (event.event === "prompt_changed") return void this.#changed(id);
    if (outcome === null) return void this.#opened(id);
    if (outcome === "replaced") return void this.#replaced(id);
    if (this.#queue.take({ id, outcome })) this.#leftBy(outcome);
    this.#show();
  }

  /** What a prompt says has changed: it is shown anew, and must be read again before it can be answered. */
  async #changed(id: string): Promise<void> {
    const prompt = await getPrompt(id).catch(() => undefined);
    if (!prompt || prompt.outcome !== null || id !== this.#shown?.id) return this.#opened(id);
    this.#answers?.stop();
    this.#shown = prompt;
    await this.#ask(prompt);
  }

  /** Loads a prompt that was just asked. */
  async #opened(id: string): Promise<void> {
    const prompt = await getPrompt(id).catch(() => undefined);
    if (!prompt || prompt.outcome !== null) return;
    this.#queue.take(prompt);
    this.#show();
  }

  /** The user chose another fee: the prompt in its place has the same call. */
  async #replaced(id: string): Promise<void> {
    const callId = this.#shown && "callId" in this.#shown && this.#shown.id === id ? this.#shown.callId : undefined;
    const open = answerable(await getPrompts().catch(() => []), Date.now());
    this.#queue.takePlaceOf(id, open.find((prompt) => "callId" in prompt && prompt.callId === callId));
    if (callId !== undefined) this.#say(t("fee_replaced"));
    this.#show();
  }

  /** Loads the call that ended. */
  async #ended(id: string): Promise<void> {
    const call = await getCall(id).catch(() => undefined);
    if (call) this.#follow(call);
  }

  reload(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      const heard = this.#heard;
      const open = answerable(await getPrompts(), Date.now());
      // The list is older than what was heard meanwhile: a prompt that was just asked would seem to be settled.
      if (heard !== this.#heard) return await this.#load();
      // The answer being sent settles the shown prompt; the list is loaded again after it.
      if (this.#isLeaving) return;
      if (this.#queue.replace(open)) this.#leftBy(null);
      if (!this.#isLoaded) await this.#learnFate();
      this.#isLoaded = true;
      this.#show();
      this.#live?.reload();
      if (this.#following !== undefined) this.#follow(await getCall(this.#following));
    } catch (error) {
      if (this.#shown || this.#following !== undefined || this.#live) return;
      fill(
        this.main,
        problem(error, () => this.reload()),
      );
    }
  }

  /** If the prompt that the page was opened for is not open: how it ended, and the bundle that it approved. */
  async #learnFate(): Promise<void> {
    const { first } = this.around;
    if (first === null || this.#queue.current?.id === first) return;
    const prompt = await getPrompt(first).catch((error: unknown) => {
      if (error instanceof RequestError && error.code === "prompt_not_found") return undefined;
      throw error;
    });
    const fate = fateOf(prompt, Date.now());
    // It was asked while the list was on its way, and its event follows.
    if (fate === undefined) return;
    if (fate === "replaced" && this.#queue.current) return;
    if (fate === "approved" && prompt && isOfBundle(prompt)) {
      this.#live = new LiveBundle(prompt.callId, { heading: "h2" });
      this.#live.reload();
    }
    this.#fate = new FateState(fate, this.#live?.element);
  }

  /** The shown prompt was settled elsewhere. */
  #leftBy(outcome: PromptOutcome | null): void {
    this.#say(settledWords(outcome));
    if (this.#shown && isOfBundle(this.#shown)) this.#watch(this.#shown.callId);
  }

  /** What the page shows once no prompt is left: the last answered call, unless it was rejected. */
  #follows(prompt: Prompt, approved: boolean | undefined): void {
    const callId = "callId" in prompt ? prompt.callId : undefined;
    this.#following = undefined;
    if (callId === undefined) return;
    if (approved === false) {
      if (this.#live?.id === callId) this.#live = undefined;
    } else if (isOfBundle(prompt)) this.#watch(callId);
    else if (approved) {
      this.#following = callId;
      this.#live = undefined;
    }
  }

  #watch(callId: string): void {
    this.#following = undefined;
    if (this.#live?.id === callId) return;
    const live = new LiveBundle(callId, { heading: "h1", seen: (view) => this.#seen(live, view) });
    this.#live = live;
  }

  #show(): void {
    if (this.#fate) return this.#showFate(this.#fate);
    const prompt = this.#queue.current;
    const { number, total } = this.#queue.place;
    this.place.textContent = prompt ? t("approve_place", number, total, timeOfDay(prompt.expiresAt)) : "";
    if (prompt && prompt.id === this.#shown?.id) return;
    this.#answers?.stop();
    this.#shown = prompt;
    if (prompt) void this.#ask(prompt);
    else if (this.#isLoaded) this.#rest();
  }

  #showFate(fate: FateState): void {
    fate.offer(this.#queue.place.total, this.around.all);
    if (fate.element.isConnected) return;
    fill(this.main, fate.element);
    fill(this.foot);
    this.main.dataset["kind"] = "fate";
    this.around.watching();
    fate.focus();
  }

  async #ask(prompt: Prompt): Promise<void> {
    this.around.unfinished();
    fill(this.main, loading(t("approve_loading")));
    fill(this.foot);
    try {
      const asked = await load(prompt);
      if (prompt.id !== this.#shown?.id) return;
      const answers = new Answers(prompt, shownIn(asked), {
        leaving: (yes) => (this.#isLeaving = yes),
        refused: () => focus?.focus(),
        settled: (settled) => this.#settled(prompt, settled),
      });
      this.#answers = answers;
      const { body, buttons, focus } = partsOf(asked, answers);
      fill(this.main, body);
      fill(this.foot, answers.notice, buttons);
      this.main.dataset["kind"] = prompt.kind;
      this.main.scrollTop = 0;
      (focus ?? body.querySelector("h1"))?.focus();
    } catch (error) {
      if (prompt.id !== this.#shown?.id) return;
      fill(
        this.main,
        problem(error, () => void this.#ask(prompt)),
      );
    }
  }

  #settled(prompt: Prompt, { approved }: Settled): void {
    if (approved === undefined) void this.#sayOutcome(prompt.id);
    else fill(this.note);
    this.#follows(prompt, approved);
    this.#queue.settle(prompt.id);
    this.#show();
    // Prompts that opened or settled while the answer was sent.
    this.reload();
  }

  /** The call ended: its outcome replaces the prompt. */
  #follow(call: Call): void {
    if (call.id !== this.#following || call.state.name !== "done") return;
    this.#following = undefined;
    if (this.#shown) return;
    const good = progressOf(call) === "done";
    const words = outcomeOf(call) ?? (good ? t("approve_was_done") : t("approve_was_not_done"));
    this.#finish(emptyState(good ? "check" : "cross", good ? t("approve_done") : t("approve_ended"), words), good);
  }

  /** No prompt is open. */
  #rest(): void {
    if (this.#live) return this.#showLive(this.#live);
    if (this.#following === undefined) {
      return this.#finish(emptyState("check", t("approve_nothing_waits"), t("approve_nothing_waits_text")), true);
    }
    const working = [spinner(t("approve_working")), h("p", {}, t("approve_continues"))];
    fill(this.main, h("div", { class: "empty", "data-testid": "prompt-working" }, ...working));
    fill(this.foot);
  }

  #showLive(live: LiveBundle): void {
    fill(this.main, h("div", { class: "asked", "data-testid": "prompt-working" }, live.element, this.#about));
    fill(this.foot);
    this.main.dataset["kind"] = "progress";
    this.main.scrollTop = 0;
    this.around.watching();
    if (live.view) this.#seen(live, live.view);
    else live.reload();
    live.focus();
  }

  /** A bundle prompts again if its vault was locked meanwhile: otherwise its progress is shown. */
  #seen(live: LiveBundle, view: BundleView): void {
    const { state } = view;
    if (live !== this.#live || this.#shown || !this.#isLoaded) return;
    const goesOn = t("approve_goes_on");
    fill(this.#about, bundleFacts(view), state !== "done" && h("p", { class: "hint" }, goesOn));
    if (state === "done") this.around.finished();
    else this.around.watching();
  }

  #finish(words: HTMLElement, good: boolean): void {
    fill(this.main, words);
    fill(this.foot);
    this.around.finished(good ? GOOD_NEWS_MILLIS : BAD_NEWS_MILLIS);
  }

  /** The prompt was settled elsewhere: says how. */
  async #sayOutcome(id: string): Promise<void> {
    const prompt = await getPrompt(id).catch(() => undefined);
    this.#say(settledWords(prompt?.outcome ?? null));
  }

  #say(words: string): void {
    fill(this.note, words);
  }
}

/** A prompt about a bundle: its approval starts the bundle. */
function isOfBundle(prompt: Prompt): prompt is Extract<Prompt, { kind: "tx_bundle_approval" | "password_required" }> {
  if (prompt.kind === "tx_bundle_approval") return true;
  return prompt.kind === "password_required" && prompt.why !== "secrets" && prompt.why !== "message";
}

function settledWords(outcome: PromptOutcome | null): string {
  switch (outcome) {
    case "approved":
      return t("approve_elsewhere_approved");
    case "rejected":
      return t("approve_elsewhere_rejected");
    case "expired":
      return t("approve_last_expired");
    case "replaced":
      return t("fee_replaced");
    case null:
      return t("approve_elsewhere");
  }
}
