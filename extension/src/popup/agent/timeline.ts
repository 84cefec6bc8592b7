// The messages and calls of one conversation, in order. Items are updated in place and never removed.

import type { Call } from "../../../generated/Call";
import type { Message } from "../../../generated/Message";
import type { Prompt } from "../../../generated/Prompt";
import type { TimelineItem } from "../../../generated/TimelineItem";
import { h } from "../element";
import type { WireEvent } from "../events";
import { t } from "../i18n";
import { ActionCard } from "./card";
import { MessageItem } from "./message";

export class TimelineList {
  readonly element = h("div", {
    class: "timeline",
    role: "log",
    "aria-live": "polite",
    "aria-relevant": "additions text",
    "aria-label": t("agent_conversation"),
  });
  readonly #messages = new Map<string, MessageItem>();
  readonly #cards = new Map<string, ActionCard>();
  readonly #order: { id: string; element: HTMLElement }[] = [];

  constructor(private readonly sendAgain: (content: string) => void) {}

  get isEmpty(): boolean {
    return this.#messages.size + this.#cards.size === 0;
  }

  has(callId: string): boolean {
    return this.#cards.has(callId);
  }

  call(id: string): Call | undefined {
    return this.#cards.get(id)?.call;
  }

  /** Updates the list from the record without moving items that are in place. */
  putAll(items: readonly TimelineItem[], prompts: ReadonlyMap<string, Prompt>): void {
    items.forEach((item, i) => {
      const element =
        item.kind === "message" ? this.putMessage(item.message) : this.putCall(item.call, prompts.get(item.call.id));
      const present = this.element.children[i] ?? null;
      if (present !== element) this.element.insertBefore(element, present);
    });
  }

  putMessage(message: Message): HTMLElement {
    let item = this.#messages.get(message.id);
    if (item) item.update(message);
    else {
      item = new MessageItem(message, this.sendAgain);
      this.#messages.set(message.id, item);
      this.#insert(message.id, item.element);
    }
    return item.element;
  }

  putCall(call: Call, prompt?: Prompt): HTMLElement {
    let card = this.#cards.get(call.id);
    if (card) card.update(call, prompt);
    else {
      card = new ActionCard(call, prompt);
      this.#cards.set(call.id, card);
      this.#insert(call.id, card.element);
    }
    return card.element;
  }

  /** Ids of messages and calls sort by time. A call that was loaded after its event may belong before the last item. */
  #insert(id: string, element: HTMLElement): void {
    const after = this.#order.findIndex((known) => known.id > id);
    const next = after === -1 ? undefined : this.#order[after];
    this.#order.splice(after === -1 ? this.#order.length : after, 0, { id, element });
    this.element.insertBefore(element, next?.element ?? null);
  }

  /** An event of a bundle's transactions, for its card. */
  takeStatus(bundleId: string, event: WireEvent): void {
    this.#cards.get(bundleId)?.take(event);
  }

  /** A part of the answer that a call waits for. */
  progressed(callId: string, data: string): void {
    this.#cards.get(callId)?.progressed(data);
  }

  append(messageId: string, offset: number, delta: string): void {
    this.#messages.get(messageId)?.append(offset, delta);
  }
}
