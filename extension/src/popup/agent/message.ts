// One message. Streamed text is appended, not replaced, so that a screen reader reads only what is new.

import type { Message } from "../../../generated/Message";
import type { Role } from "../../../generated/Role";
import { fill, h } from "../element";
import { sentenceOf } from "../errors";
import { fullTime } from "../format";
import { t } from "../i18n";

const ROLE_WORDS: Record<Role, string> = {
  user: t("agent_you"),
  agent: t("agent_agent"),
  wallet: t("app_name"),
};

export class MessageItem {
  readonly element: HTMLElement;
  readonly #text = document.createTextNode("");
  readonly #footer = h("div", { class: "message-footer" });
  readonly #again: (content: string) => void;
  #message: Message;

  constructor(message: Message, again: (content: string) => void) {
    this.#message = message;
    this.#again = again;
    this.element = h(
      "article",
      {
        class: "message",
        "aria-label": ROLE_WORDS[message.role],
        "data-testid": "message",
        "data-role": message.role,
      },
      h("div", { class: "bubble", title: fullTime(message.createdAt) }, this.#text),
      this.#footer,
    );
    this.update(message);
  }

  update(message: Message): void {
    this.#message = message;
    this.#write(message.content);
    this.element.dataset["state"] = message.state;
    this.element.setAttribute("aria-busy", String(message.state === "streaming"));
    fill(this.#footer, ...this.#footerOf(message));
  }

  /** `offset` is the position of the text; anything after it is replaced. */
  append(offset: number, delta: string): void {
    const content = this.#message.content.slice(0, offset) + delta;
    this.#message = { ...this.#message, content };
    this.#write(content);
  }

  #write(content: string): void {
    this.element.classList.toggle("blank", content === "");
    if (content.startsWith(this.#text.data)) this.#text.appendData(content.slice(this.#text.length));
    else this.#text.data = content;
  }

  #footerOf({ role, state, error, content }: Message): (Node | string)[] {
    if (state !== "failed") return [];
    const reason = h("span", { class: "message-error" }, sentenceOf(error ?? "failed"));
    if (role !== "user") return [reason];
    const again = { class: "link", type: "button", on: { click: () => this.#again(content) } };
    return [reason, h("button", again, t("agent_send_again"))];
  }
}
