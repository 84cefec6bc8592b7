// Selects the shown conversation, or starts a new one.

import type { Conversation } from "../../../generated/Conversation";
import { fill, h, icon } from "../element";
import { dayInside } from "../format";
import { t } from "../i18n";

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
      "aria-label": t("agent_conversation"),
      "data-testid": "conversation-switcher",
      on: { change: chosen },
    });
    const begin = h(
      "button",
      { type: "button", class: "quiet", "data-testid": "conversation-new", on: { click: () => choices.begin() } },
      icon("plus"),
      t("agent_new"),
    );
    this.element = h("div", { class: "toolbar" }, h("div", { class: "switcher" }, this.#list, icon("down")), begin);
  }

  show(conversations: readonly Conversation[], current: string | undefined): void {
    const options = conversations.map((conversation) =>
      h("option", { value: conversation.id, selected: conversation.id === current }, nameOf(conversation)),
    );
    const fresh = h("option", { value: NEW, selected: true }, t("agent_new_conversation"));
    if (current === undefined) options.unshift(fresh);
    fill(this.#list, ...options);
  }
}

function nameOf({ title, createdAt }: Conversation): string {
  return title === "" ? t("agent_conversation_of", dayInside(createdAt)) : title;
}
