// The message input. A popup closes when it loses focus, so the draft is stored until it is sent.

import { h, icon } from "../element";
import { t } from "../i18n";
import { Palette, paletteButton } from "../palette/palette";
import { opensPalette, withoutTrigger } from "../palette/trigger";

const DRAFT = "draft";
const MAX_HEIGHT = 140;
const BORDERS = 2;

export class Composer {
  readonly element: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #button: HTMLButtonElement;
  readonly #palette = new Palette({
    closed: (typed) => this.#insert(typed ?? ""),
    quote: (text) => this.#insert(text),
  });
  /** Where the palette was opened in the text. */
  #caret = 0;

  constructor(private readonly send: (content: string) => Promise<void>) {
    this.#field = h("textarea", {
      id: "composer",
      rows: 1,
      placeholder: t("agent_ask"),
      "aria-label": t("agent_message_to"),
      "aria-describedby": "composer-hint",
      "data-testid": "composer",
      on: { input: (event) => this.#edited(event), keydown: (event) => this.#key(event) },
    });
    this.#button = h(
      "button",
      {
        type: "submit",
        class: "primary send",
        "aria-label": t("agent_send"),
        title: t("agent_send_hint"),
        "data-testid": "composer-send",
      },
      icon("send"),
    );
    const submitted = (event: Event): void => {
      event.preventDefault();
      void this.#submit();
    };
    const form = h(
      "form",
      { class: "composer", on: { submit: submitted } },
      paletteButton(() => this.#openPalette()),
      this.#field,
      this.#button,
      h("span", { id: "composer-hint", class: "visually-hidden" }, `${t("agent_composer_hint")} ${t("tools_palette_hint")}`),
    );
    this.element = h("div", { class: "composer-area" }, this.#palette.element, form);
    this.#write(localStorage.getItem(DRAFT) ?? "");
  }

  focus(): void {
    this.#field.focus();
    this.#fit();
  }

  /** Fills in a suggestion that the user can edit. */
  suggest(content: string): void {
    this.#write(content);
    this.focus();
  }

  #write(content: string): void {
    this.#field.value = content;
    this.#typed();
  }

  /** A `+` at the start of a word opens the palette, which takes what is typed next. */
  #edited(event: Event): void {
    const caret = this.#field.selectionStart;
    const isTyped = event instanceof InputEvent && event.data === "+" && !event.isComposing;
    if (isTyped && opensPalette(this.#field.value, caret)) {
      this.#field.value = withoutTrigger(this.#field.value, caret);
      this.#field.setSelectionRange(caret - 1, caret - 1);
      this.#openPalette();
    }
    this.#typed();
  }

  #openPalette(): void {
    if (this.#palette.isOpen) return this.#palette.close();
    this.#caret = this.#field.selectionStart;
    this.#palette.open();
  }

  /** Puts a text where the palette was opened, and the focus after it. */
  #insert(text: string): void {
    const { value } = this.#field;
    const at = Math.min(this.#caret, value.length);
    this.#write(value.slice(0, at) + text + value.slice(at));
    this.focus();
    this.#field.setSelectionRange(at + text.length, at + text.length);
    this.#caret = at + text.length;
  }

  #typed(): void {
    localStorage.setItem(DRAFT, this.#field.value);
    this.#button.disabled = this.#field.value.trim() === "";
    this.#fit();
  }

  #fit(): void {
    this.#field.style.height = "auto";
    const wanted = this.#field.scrollHeight + BORDERS;
    this.#field.style.height = `${Math.min(wanted, MAX_HEIGHT)}px`;
    this.#field.style.overflowY = wanted > MAX_HEIGHT ? "auto" : "hidden";
  }

  #key(event: KeyboardEvent): void {
    // While an input method composes a character, Enter belongs to it.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void this.#submit();
  }

  async #submit(): Promise<void> {
    const content = this.#field.value.trim();
    if (content === "") return;
    this.#write("");
    try {
      await this.send(content);
    } catch {
      // Not sent: the text returns to the input, unless another was typed meanwhile.
      if (this.#field.value === "") this.#write(content);
    }
    this.focus();
  }
}
