// The conversation with the agent: messages, actions and prompts.

import type { Call } from "../../../generated/Call";
import type { CallChange } from "../../../generated/CallChange";
import type { CallStart } from "../../../generated/CallStart";
import type { Conversation } from "../../../generated/Conversation";
import type { Prompt } from "../../../generated/Prompt";
import type { Timeline } from "../../../generated/Timeline";
import { Composer } from "../agent/composer";
import { ActionCard } from "../agent/card";
import { Switcher } from "../agent/switcher";
import { TimelineList } from "../agent/timeline";
import { welcome } from "../agent/welcome";
import {
  beginConversation,
  getCall,
  getConversations,
  getPrompts,
  getSettings,
  getTimeline,
  sendMessage,
} from "../api";
import { RunningBundles } from "../bundle/running";
import { CallLoader, changed } from "../call-loader";
import { fill, h, icon } from "../element";
import type { WireEvent } from "../events";
import { t } from "../i18n";
import { loading, problem } from "../parts";
import { plain } from "../plain";
import type { Surroundings, View } from "../view";

const CURRENT = "conversation";
const TITLE_LENGTH = 60;
const NEAR_BOTTOM = 60;
/** How long a settled prompt of another conversation stays visible. */
const SETTLED_MILLIS = 4_000;

export class AgentView implements View {
  readonly element: HTMLElement;
  readonly #switcher = new Switcher({ open: (id) => void this.#open(id), begin: () => this.#begin() });
  readonly #composer = new Composer((content) => this.#send(content));
  readonly #scroller: HTMLElement;
  readonly #notice = h("div", { class: "notice-slot" });
  /** Says that the conversation is with another agent than the one in the settings. */
  readonly #other = h("div", { class: "notice-slot" });
  readonly #elsewhere = h("div", { class: "elsewhere" });
  readonly #waiting = h("h2", {}, t("agent_also_waiting"));
  /** Calls of this conversation that it does not show, while they ask. */
  readonly #asking = h("div", { class: "asking" });
  /** Bundles of this conversation are on its cards. */
  readonly #running = new RunningBundles((id) => !this.#list.has(id) && !this.#outside.has(id));
  readonly #latest: HTMLButtonElement;
  /** A card grows when what it asks about is loaded: its buttons stay in sight. Not while the user is at one. */
  readonly #growth = new ResizeObserver(() => {
    if (this.#isFollowing && !this.#scroller.contains(document.activeElement)) this.#toBottom();
  });
  /** Whether the end of the conversation is in sight, before it grows. */
  #isFollowing = true;
  readonly #outside = new Map<string, ActionCard>();
  readonly #loader = new CallLoader((call) => this.#keepBottom(() => this.#takeCall(call)));
  #conversations: Conversation[] = [];
  #current: string | undefined;
  #list = this.#newList();
  /** Answers for a previously chosen conversation are dropped. */
  #turn = 0;

  constructor(private readonly around: Surroundings) {
    this.#latest = h(
      "button",
      { type: "button", class: "latest", hidden: true, on: { click: () => this.#toBottom() } },
      icon("down"),
      t("agent_latest"),
    );
    const scroll = (): void => this.#scrolled();
    this.#scroller = h("div", { class: "scroller", on: { scroll } }, loading(t("agent_loading")));
    this.element = h(
      "section",
      { class: "view agent", "aria-label": t("agent_agent") },
      this.#switcher.element,
      this.#running.element,
      this.#elsewhere,
      h("div", { class: "stage" }, this.#scroller, this.#latest),
      this.#other,
      this.#notice,
      this.#composer.element,
    );
  }

  show(): void {
    this.#composer.focus();
    void this.#load();
    void this.#checkBackend();
  }

  async #load(): Promise<void> {
    const turn = ++this.#turn;
    try {
      this.#conversations = await getConversations();
      if (turn !== this.#turn) return;
      const remembered = localStorage.getItem(CURRENT);
      const found = this.#conversations.find(({ id }) => id === remembered) ?? this.#conversations[0];
      if (found) await this.#open(found.id);
      else this.#begin();
    } catch (error) {
      if (turn === this.#turn)
        fill(
          this.#scroller,
          problem(error, () => void this.#load()),
        );
    }
  }

  async #open(id: string): Promise<void> {
    const turn = ++this.#turn;
    try {
      const [timeline, prompts] = await Promise.all([getTimeline(id), getPrompts()]);
      if (turn !== this.#turn) return;
      this.#remember(id);
      this.#list = this.#newList();
      this.#put(timeline, prompts);
      this.#toBottom();
      this.around.listen(timeline.lastEventId, {
        event: (event) => this.#keepBottom(() => this.#take(event)),
        reload: () => void this.#reload(id),
      });
    } catch (error) {
      if (turn === this.#turn)
        fill(
          this.#scroller,
          problem(error, () => void this.#open(id)),
        );
    }
  }

  /** Shows an empty page; the conversation is created with the first message. */
  #begin(): void {
    this.#turn++;
    this.#remember(undefined);
    this.#list = this.#newList();
    this.#showList();
    this.#showOther(undefined);
    this.#composer.focus();
    const reload = (): void => {
      this.#running.reload();
      void getPrompts()
        .then((prompts) => this.#putOutside(prompts))
        .catch(() => {});
    };
    this.around.listen(undefined, { event: (event) => this.#take(event), reload });
  }

  async #reload(id: string): Promise<void> {
    const turn = this.#turn;
    const fresh = await Promise.all([getTimeline(id), getPrompts()]).catch(() => undefined);
    if (fresh && turn === this.#turn) this.#keepBottom(() => this.#put(...fresh));
  }

  #put(timeline: Timeline, prompts: readonly Prompt[]): void {
    this.#list.putAll(timeline, new Map(prompts.flatMap(byCall)));
    this.#showList();
    this.#showOther(timeline.otherBackend);
    this.#putOutside(prompts);
    this.#running.reload();
  }

  async #send(content: string): Promise<void> {
    fill(this.#notice);
    try {
      const id = this.#current ?? (await this.#beginWith(content));
      const message = await sendMessage(id, content);
      if (id !== this.#current) return;
      this.#list.putMessage(message);
      this.#showList();
      this.#toBottom();
    } catch (error) {
      fill(this.#notice, problem(error));
      throw error;
    }
  }

  async #beginWith(content: string): Promise<string> {
    const firstLine = content.split("\n", 1)[0] ?? "";
    const title = firstLine.length <= TITLE_LENGTH ? firstLine : `${firstLine.slice(0, TITLE_LENGTH - 1)}…`;
    const conversation = await beginConversation(title);
    // Its event may have arrived before.
    this.#takeConversation(conversation);
    await this.#open(conversation.id);
    return conversation.id;
  }

  #take(event: WireEvent): void {
    this.#running.take(event);
    switch (event.event) {
      case "text_delta":
        if (event.data.conversationId !== this.#current) return;
        return this.#list.append(event.data.messageId, event.data.offset, event.data.delta);
      case "message":
        if (event.data.message.conversationId !== this.#current) return;
        this.#list.putMessage(event.data.message);
        return this.#showList();
      case "tool.started":
        return this.#takeStart(event.data.call);
      case "action_result":
      case "result_delivered":
        return this.#takeChange(event.data.call);
      case "tool.streaming":
        return this.#takeStream(event.data);
      case "tool.done":
        return this.#list.ended(event.data.callId);
      case "tool.error":
        return this.#list.ended(event.data.callId, event.data.error);
      case "confirmation_required":
      case "tx_bundle_approval":
      case "message_approval":
      case "password_required":
      case "elicitation":
        return this.#takeChange(event.data.call);
      case "bundle":
      case "tx_status":
        this.#list.takeStatus(event.data.bundleId, event);
        return this.#outside.get(event.data.bundleId)?.take(event);
      case "conversation":
        return this.#takeConversation(event.data.conversation);
      case "auth_required":
        return this.#askForToken();
    }
  }

  /** A silent call is in Activity, and here only while it asks. */
  #takeStart(start: CallStart): void {
    if (start.visible === false) return;
    if (this.#isHere(start)) this.#list.begun(start.id, start.type);
    this.#takeChange(start);
  }

  #takeStream({ callId, data, args, progress }: Extract<WireEvent, { event: "tool.streaming" }>["data"]): void {
    if (args !== undefined) {
      this.#list.written(callId, args);
      this.#showList();
    }
    if (progress !== undefined) {
      this.#list.measured(callId, progress);
      this.#outside.get(callId)?.measured(progress);
    }
    if (data !== "" && data !== undefined) this.#list.progressed(callId, data);
  }

  /** Whether the shown conversation's agent made the call. */
  #isHere({ source }: Pick<Call, "source">): boolean {
    return source.kind === "agent" && source.conversationId === this.#current;
  }

  /** A change is put over the shown call. A call that is not shown and should be is loaded. */
  #takeChange(change: CallChange | CallStart): void {
    const known = this.#list.call(change.id) ?? this.#outside.get(change.id)?.call;
    const update: Pick<CallChange, "state" | "delivery"> = "state" in change || "delivery" in change ? change : {};
    if (known) return this.#takeCall(changed(known, update));
    if (this.#isHere(change) || update.state?.name === "waiting") this.#loader.load(change.id);
  }

  #takeCall(call: Call, prompt?: Prompt): void {
    // One that has a message, or is silent, has a card only while it asks.
    if (this.#isHere(call) && call.visible === undefined) {
      this.#list.putCall(call, prompt);
      return this.#showList();
    }
    if (call.visible === false) this.#list.ended(call.id);
    if (this.#outside.has(call.id) || call.state.name === "waiting") {
      this.#putOutsideCall(call, prompt);
    }
  }

  #takeConversation(conversation: Conversation): void {
    const known = this.#conversations.findIndex(({ id }) => id === conversation.id);
    if (known === -1) this.#conversations.unshift(conversation);
    else this.#conversations[known] = conversation;
    this.#switcher.show(this.#conversations, this.#current);
  }

  /** Shows prompts that belong to no card of this conversation. */
  #putOutside(prompts: readonly Prompt[]): void {
    for (const [callId, prompt] of prompts.flatMap(byCall)) {
      if (this.#list.has(callId)) continue;
      const put = (call: Call): void => this.#takeCall(call, prompt);
      void getCall(callId)
        .then(put)
        .catch(() => {});
    }
  }

  #putOutsideCall(call: Call, prompt?: Prompt): void {
    const card = this.#outside.get(call.id);
    if (card) card.update(call, prompt);
    else this.#outside.set(call.id, new ActionCard(call, prompt));
    this.#showOutside();
    if (call.state.name === "done") setTimeout(() => this.#dropOutside(call.id), SETTLED_MILLIS);
  }

  #dropOutside(callId: string): void {
    this.#outside.delete(callId);
    this.#showOutside();
  }

  #showOutside(): void {
    const cards = [...this.#outside].filter(([callId]) => !this.#list.has(callId)).map(([, card]) => card);
    const others = cards.filter(({ call }) => !this.#isHere(call)).map(({ element }) => element);
    place(this.#elsewhere, others.length === 0 ? [] : [this.#waiting, ...others]);
    place(this.#asking, cards.filter(({ call }) => this.#isHere(call)).map(({ element }) => element));
  }

  #remember(id: string | undefined): void {
    this.#current = id;
    if (id === undefined) localStorage.removeItem(CURRENT);
    else localStorage.setItem(CURRENT, id);
    this.#switcher.show(this.#conversations, id);
  }

  #newList(): TimelineList {
    return new TimelineList((content) => void this.#send(content).catch(() => {}));
  }

  #showList(): void {
    const shown = this.#list.isEmpty ? welcome((text) => this.#composer.suggest(text)) : this.#list.element;
    if (this.#scroller.firstElementChild !== shown) {
      fill(this.#scroller, shown, this.#asking);
      this.#growth.disconnect();
      this.#growth.observe(shown);
      this.#growth.observe(this.#asking);
    }
    this.#showOutside();
  }

  #showOther(backend: string | undefined): void {
    if (backend === undefined) return fill(this.#other);
    const click = (): void => this.#begin();
    const begin = h("button", { type: "button", class: "link", on: { click } }, t("agent_new_conversation"));
    const words = t("agent_other_backend", plain(backend));
    const waits = t("agent_other_backend_waits");
    fill(
      this.#other,
      h("div", { class: "notice", role: "status", "data-testid": "other-backend" }, h("span", {}, words, waits), begin),
    );
  }

  async #checkBackend(): Promise<void> {
    const settings = await getSettings().catch(() => undefined);
    if (settings?.backend.url === "") this.#point(t("agent_none"), t("agent_connect"));
  }

  #askForToken(): void {
    this.#point(t("agent_token_needed"), t("agent_enter_token"));
  }

  #point(text: string, way: string): void {
    const button = h("button", { type: "button", class: "link", on: { click: () => this.around.go("settings") } }, way);
    fill(this.#notice, h("div", { class: "notice", role: "status" }, h("span", {}, text), button));
  }

  #keepBottom(change: () => void): void {
    const stick = this.#atBottom();
    change();
    if (stick) this.#toBottom();
    else this.#latest.hidden = false;
  }

  #atBottom(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR_BOTTOM;
  }

  #toBottom(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#isFollowing = true;
  }

  #scrolled(): void {
    this.#isFollowing = this.#atBottom();
    if (this.#isFollowing) this.#latest.hidden = true;
  }
}

/** Puts elements into a place; those that are there stay as they are, with what is typed in them. */
function place(container: HTMLElement, elements: readonly HTMLElement[]): void {
  const isSame = container.childElementCount === elements.length && elements.every((one, i) => container.children[i] === one);
  if (!isSame) fill(container, ...elements);
}

/** A connection request has no call and no card: the bar links to it. */
function byCall(prompt: Prompt): [callId: string, prompt: Prompt][] {
  return "callId" in prompt ? [[prompt.callId, prompt]] : [];
}
