// Selects the shown conversation, or starts a new one.

import type { Conversation } from "../../../generated/Conversation";
import { fill, h, icon } from "../element";
import { day } from "../format";

const NEW = "";

interface Choices {
  open(id: string): void;
  begin(): void;
}

export class Switcher {
  readonly element: HTMLElement;
  readonly #list: HTMLSelectElement;

  constructor(choices: Choices) {
    const chosen = (): void => (this.#list.value === NEW ? choices.begin() : choices.open(this.#list.value));
    this.#list = h("select", {
      "aria-label": "Conversation",
      "data-testid": "conversation-switcher",
      on: { change: chosen },
    });
    const begin = h(
      "button",
      { type: "button", class: "quiet", "data-testid": "conversation-new", on: { click: () => choices.begin() } },
      icon("plus"),
      "New",
    );
    this.element = h("div", { class: "toolbar" }, h("div", { class: "switcher" }, this.#list, icon("down")), begin);
  }

  show(conversations: readonly Conversation[], current: string | undefined): void {
    const options = conversations.map((conversation) =>
      h("option", { value: conversation.id, selected: conversation.id === current }, nameOf(conversation)),
    );
    if (current === undefined) options.unshift(h("option", { value: NEW, selected: true }, "New conversation"));
    fill(this.#list, ...options);
  }
}

function nameOf({ title, createdAt }: Conversation): string {
  return title === "" ? `Conversation of ${day(createdAt).toLowerCase()}` : title;
}
