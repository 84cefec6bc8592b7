// The palette: finds a tool as its name is typed, asks for its arguments and runs it. Everything works by keyboard.
//
// A combobox with a list (ARIA authoring practices): the focus stays in the input, the arrows move a mark in the list.

import { callableTools, searchTools } from "../../tools/api";
import type { Tool } from "../../tools/types";
import { fill, h, icon } from "../element";
import { explain } from "../errors";
import { plural, t } from "../i18n";
import { plain } from "../plain";
import { RunPanel } from "./run-panel";

interface Around {
  /** The palette is closed; `typed` is what was searched for, if it becomes part of the message. */
  closed(typed: string | undefined): void;
  /** Puts a result into the message. */
  quote(text: string): void;
}

const MAX_SHOWN = 20;
const LIST = "palette-list";

export class Palette {
  readonly element = h("div", { class: "palette", hidden: true, "data-testid": "palette" });
  readonly #input: HTMLInputElement;
  readonly #list = h("ul", { id: LIST, role: "listbox", "aria-label": t("tools_palette_list") });
  readonly #status = h("p", { class: "palette-status", role: "status" });
  #tools: readonly Tool[] = [];
  #marked = 0;
  /** Answers to what was typed before are dropped. */
  #turn = 0;

  constructor(private readonly around: Around) {
    this.#input = h("input", {
      type: "text",
      role: "combobox",
      "aria-expanded": "true",
      "aria-controls": LIST,
      "aria-autocomplete": "list",
      "aria-label": t("tools_palette_search"),
      placeholder: t("tools_palette_search"),
      autocomplete: "off",
      spellcheck: "false",
      "data-testid": "palette-search",
      on: { input: () => void this.#find(), keydown: (event) => this.#key(event) },
    });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  open(): void {
    this.#input.value = "";
    this.#tools = [];
    fill(this.#list);
    fill(this.#status);
    fill(
      this.element,
      h("div", { class: "palette-search" }, h("span", { "aria-hidden": "true" }, "+"), this.#input),
      this.#list,
      this.#status,
    );
    this.element.hidden = false;
    this.#input.focus();
    void this.#find();
  }

  /** Closes it without a word, for a press outside. */
  close(typed?: string): void {
    if (!this.isOpen) return;
    this.#turn++;
    this.element.hidden = true;
    fill(this.element);
    this.around.closed(typed);
  }

  async #find(): Promise<void> {
    const turn = ++this.#turn;
    const query = this.#input.value.trim();
    try {
      const { tools } = await (query === "" ? callableTools(MAX_SHOWN) : searchTools(query, false, MAX_SHOWN));
      if (turn !== this.#turn) return;
      this.#tools = newestOf(tools).slice(0, MAX_SHOWN);
      this.#show();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#tools = [];
      this.#show();
      this.#status.textContent = explain(error);
    }
  }

  #show(): void {
    const options = this.#tools.map((tool, i) =>
      h(
        "li",
        { id: `palette-${i}`, role: "option", "data-testid": "palette-option", "data-slug": tool.slug, on: { click: () => this.#choose(tool), mousemove: () => this.#mark(i) } },
        h("span", { class: "palette-name" }, h("strong", {}, plain(tool.displayName)), h("code", {}, `+${plain(tool.slug)}`)),
        h("span", { class: "muted small" }, plain(tool.description)),
      ),
    );
    fill(this.#list, ...options);
    const count = this.#tools.length;
    this.#status.textContent = count === 0 ? t("tools_palette_none") : t(plural(count, "tools_palette_count_one", "tools_palette_count_other"), count);
    this.#mark(0);
  }

  #mark(position: number): void {
    this.#marked = position;
    [...this.#list.children].forEach((option, i) => {
      option.setAttribute("aria-selected", String(i === position));
      if (i === position) option.scrollIntoView({ block: "nearest" });
    });
    if (this.#tools.length > 0) this.#input.setAttribute("aria-activedescendant", `palette-${position}`);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const last = this.#tools.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: this.#marked === last ? 0 : this.#marked + 1,
      ArrowUp: this.#marked === 0 ? last : this.#marked - 1,
      PageDown: Math.min(this.#marked + 5, last),
      PageUp: Math.max(this.#marked - 5, 0),
    };
    const next = steps[event.key];
    if (next !== undefined && last >= 0) this.#mark(next);
    else if (event.key === "Enter") this.#enter();
    else if (event.key === "Escape" || event.key === "Tab") this.close(`+${this.#input.value}`);
    else if (event.key === "Backspace" && this.#input.value === "") this.close("");
    else return;
    event.preventDefault();
    // In a popup, Esc would otherwise close the whole window.
    event.stopPropagation();
  }

  #enter(): void {
    const tool = this.#tools[this.#marked];
    // Not a tool after all: the text belongs to the message.
    if (tool) this.#choose(tool);
    else this.close(`+${this.#input.value}`);
  }

  #choose(tool: Tool): void {
    this.#turn++;
    const panel = new RunPanel(tool, {
      close: () => this.close(""),
      quote: (text) => {
        this.close("");
        this.around.quote(text);
      },
    });
    fill(this.element, panel.element);
    panel.focus();
  }
}

/** Of each tool the newest version, at the place of its best one. */
export function newestOf(tools: readonly Tool[]): Tool[] {
  const newest = new Map<string, Tool>();
  for (const tool of tools) {
    const place = `${tool.bundleID}/${tool.slug}`;
    const known = newest.get(place);
    if (!known || known.createdAt < tool.createdAt) newest.set(place, tool);
  }
  return [...newest.values()];
}

/** Opens the palette without typing. */
export function paletteButton(open: () => void): HTMLButtonElement {
  const words = t("tools_palette_open");
  return h(
    "button",
    { type: "button", class: "icon-button palette-button", "aria-label": words, title: words, "aria-haspopup": "listbox", "data-testid": "palette-open", on: { click: open } },
    icon("plus"),
  );
}
