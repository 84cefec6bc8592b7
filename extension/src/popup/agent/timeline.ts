// The messages and calls of one conversation, in order. Items are updated in place and never removed; only the draft of a
// call makes room for the call.

import type { Call } from "../../../generated/Call";
import type { Message } from "../../../generated/Message";
import type { Progress } from "../../../generated/Progress";
import type { Prompt } from "../../../generated/Prompt";
import type { Timeline } from "../../../generated/Timeline";
import type { ToolPart } from "../../../generated/ToolPart";
import { h } from "../element";
import type { WireEvent } from "../events";
import { t } from "../i18n";
import { DraftItem, ToolMessageItem } from "../tool-message/item";
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
  /** Messages of tools, by the id of their call. */
  readonly #tools = new Map<string, ToolMessageItem>();
  /** Calls whose arguments are being written, by the id that the call will have. */
  readonly #drafts = new Map<string, DraftItem>();
  /** The names of calls that have begun and are not shown yet. */
  readonly #begun = new Map<string, string>();
  readonly #order: { id: string; element: HTMLElement }[] = [];

  constructor(private readonly sendAgain: (content: string) => void) {}

  get isEmpty(): boolean {
    return this.element.childElementCount === 0;
  }

  has(callId: string): boolean {
    return this.#cards.has(callId);
  }

  call(id: string): Call | undefined {
    return this.#cards.get(id)?.call;
  }

  /** Updates the list from the record without moving items that are in place. */
  putAll({ items, inputs }: Timeline, prompts: ReadonlyMap<string, Prompt>): void {
    const written = new Set(inputs.map(({ callId }) => callId));
    for (const callId of [...this.#drafts.keys()]) if (!written.has(callId)) this.#drop(callId);
    items.forEach((item, i) => {
      const element =
        item.kind === "message" ? this.putMessage(item.message) : this.putCall(item.call, prompts.get(item.call.id));
      const present = this.element.children[i] ?? null;
      if (present !== element) this.element.insertBefore(element, present);
    });
    for (const { callId, name, args } of inputs) this.#draft(callId, name, args);
  }

  putMessage(message: Message): HTMLElement {
    if (message.tool) return this.#putTool(message, message.tool);
    let item = this.#messages.get(message.id);
    if (item) item.update(message);
    else {
      item = new MessageItem(message, this.sendAgain);
      this.#messages.set(message.id, item);
      this.#insert(message.id, item.element);
    }
    return item.element;
  }

  #putTool(message: Message, part: ToolPart): HTMLElement {
    this.#drop(part.callId);
    let item = this.#tools.get(part.callId);
    if (item) item.update(message, part);
    else {
      item = new ToolMessageItem(message, part);
      this.#tools.set(part.callId, item);
      this.#insert(message.id, item.element);
    }
    return item.element;
  }

  /** A call began: its arguments may be on their way. */
  begun(callId: string, name: string): void {
    if (!this.#cards.has(callId) && !this.#tools.has(callId)) this.#begun.set(callId, name);
  }

  /** The arguments of a call, as far as they are written. */
  written(callId: string, args: unknown): void {
    const name = this.#begun.get(callId);
    if (name !== undefined) this.#draft(callId, name, args);
  }

  /** A call ended: one that is shown nowhere else has no draft any more; one that broke off says why. */
  ended(callId: string, error?: string): void {
    const draft = this.#drafts.get(callId);
    if (draft && error !== undefined) draft.fail(error);
    else this.#drop(callId);
    this.#begun.delete(callId);
  }

  #draft(callId: string, name: string, args: unknown): void {
    if (this.#cards.has(callId) || this.#tools.has(callId)) return;
    this.#begun.set(callId, name);
    const draft = this.#drafts.get(callId);
    if (draft) return draft.write(args);
    const item = new DraftItem(callId, name, args);
    this.#drafts.set(callId, item);
    this.#insert(callId, item.element);
  }

  #drop(callId: string): void {
    this.#begun.delete(callId);
    const draft = this.#drafts.get(callId);
    if (!draft) return;
    draft.element.remove();
    this.#drafts.delete(callId);
    this.#order.splice(this.#order.findIndex(({ element }) => element === draft.element), 1);
  }

  putCall(call: Call, prompt?: Prompt): HTMLElement {
    this.#drop(call.id);
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

  /** How far a call says it is. */
  measured(callId: string, progress: Progress): void {
    this.#cards.get(callId)?.measured(progress);
    this.#tools.get(callId)?.progressed(progress);
  }

  append(messageId: string, offset: number, delta: string): void {
    this.#messages.get(messageId)?.append(offset, delta);
  }
}
