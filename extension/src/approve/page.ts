// One question after the other, until none is left. Everything shown follows the core's records and events.

import type { Call } from "../../generated/Call";
import type { Prompt } from "../../generated/Prompt";
import type { PromptOutcome } from "../../generated/PromptOutcome";
import { getCall, getPrompts } from "../popup/api";
import { outcomeOf, progressOf } from "../popup/describe";
import { fill, h } from "../popup/element";
import { questionIn, type Listener, type WireEvent } from "../popup/events";
import { timeOfDay } from "../popup/format";
import { emptyState, loading, problem, spinner } from "../popup/parts";
import { Answers, type Settled } from "../popup/prompt/answers";
import { load, partsOf } from "./question";
import { Queue } from "./queue";

interface Around {
  /** The question to begin with. */
  first: string | null;
  /** Nothing is left to decide; the last words take this long to read. */
  finished(millis: number): void;
  /** Something is to be decided after all. */
  unfinished(): void;
}

const GOOD_NEWS_MILLIS = 2_000;
const BAD_NEWS_MILLIS = 6_000;

export class Page implements Pick<Listener, "event" | "reload"> {
  readonly place = h("span", { class: "muted small", "data-testid": "prompt-place" });
  readonly note = h("div", { class: "note", role: "status", "data-testid": "prompt-note" });
  readonly main = h("main", { id: "main", class: "approve" }, loading("Loading the question"));
  readonly foot = h("footer", { class: "answers" });
  readonly #queue: Queue;
  #answers: Answers | undefined;
  #shown: Prompt | undefined;
  #isLoaded = false;
  /** An answer is on its way from here: news of its question are no surprise. */
  #isLeaving = false;
  /** The call that goes on after what was approved here: it may ask for the password next. */
  #following: string | undefined;

  constructor(private readonly around: Around) {
    this.#queue = new Queue(around.first);
  }

  event(event: WireEvent): void {
    const prompt = questionIn(event);
    if (event.event === "action_result" && event.data.call.id === this.#following) this.#follow(event.data.call);
    if (!prompt || (this.#isLeaving && prompt.id === this.#shown?.id)) return;
    if (this.#queue.take(prompt)) this.#say(settledWords(prompt.outcome));
    this.#show();
  }

  reload(): void {
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      const open = await getPrompts();
      // The answer that is on its way settles what is shown; the list is looked at again after it.
      if (this.#isLeaving) return;
      if (this.#queue.replace(open)) this.#say(settledWords(null));
      const { first } = this.around;
      if (!this.#isLoaded && first !== null && this.#queue.current?.id !== first) this.#say(settledWords(null));
      this.#isLoaded = true;
      this.#show();
      if (this.#following !== undefined) this.#follow(await getCall(this.#following));
    } catch (error) {
      if (this.#shown || this.#following !== undefined) return;
      fill(
        this.main,
        problem(error, () => this.reload()),
      );
    }
  }

  #show(): void {
    const prompt = this.#queue.current;
    const { number, total } = this.#queue.place;
    this.place.textContent = prompt ? `${number} of ${total} · waits until ${timeOfDay(prompt.expiresAt)}` : "";
    if (prompt && prompt.id === this.#shown?.id) return;
    this.#answers?.stop();
    this.#shown = prompt;
    if (prompt) void this.#ask(prompt);
    else if (this.#isLoaded) this.#rest();
  }

  async #ask(prompt: Prompt): Promise<void> {
    this.around.unfinished();
    fill(this.main, loading("Loading the question"));
    fill(this.foot);
    try {
      const asked = await load(prompt);
      if (prompt.id !== this.#shown?.id) return;
      const answers = new Answers(prompt, {
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
    if (approved === undefined) this.#say(settledWords(null));
    else fill(this.note);
    this.#following = approved === true && "callId" in prompt ? prompt.callId : undefined;
    this.#queue.settle(prompt.id);
    this.#show();
    // What came or ended while the answer was on its way.
    this.reload();
  }

  /** The call ended: its question has become an outcome. */
  #follow(call: Call): void {
    if (call.id !== this.#following || call.state.name !== "done") return;
    this.#following = undefined;
    if (this.#shown) return;
    const good = progressOf(call) === "done";
    const words = outcomeOf(call) ?? (good ? "It was done." : "It was not done.");
    this.#finish(emptyState(good ? "check" : "cross", good ? "Done" : "Ended", words), good);
  }

  /** No question is open. */
  #rest(): void {
    if (this.#following === undefined) {
      return this.#finish(emptyState("check", "Nothing waits for you", "Every question is answered."), true);
    }
    const words = h("p", {}, "You answered. The wallet goes on…");
    fill(this.main, h("div", { class: "empty", "data-testid": "prompt-working" }, spinner("Working"), words));
    fill(this.foot);
  }

  #finish(words: HTMLElement, good: boolean): void {
    fill(this.main, words);
    fill(this.foot);
    this.around.finished(good ? GOOD_NEWS_MILLIS : BAD_NEWS_MILLIS);
  }

  #say(words: string): void {
    fill(this.note, words);
  }
}

function settledWords(outcome: PromptOutcome | null): string {
  return outcome === "expired" ? "Nobody answered the last question in time." : "Answered in another window.";
}
