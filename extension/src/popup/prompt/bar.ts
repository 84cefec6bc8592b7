// A bar above every view while prompts are open, with a link to them.

import type { Prompt } from "../../../generated/Prompt";
import { h } from "../element";
import { count } from "../format";
import { approvalPage } from "./page";

export class PromptBar {
  readonly #words = h("span", {});
  readonly #review = h("a", { class: "button", "data-testid": "prompt-review" }, "Review");
  readonly element = h(
    "div",
    { class: "prompt-bar", role: "status", hidden: true, "data-testid": "prompt-bar" },
    this.#words,
    this.#review,
  );

  show(prompts: readonly Prompt[]): void {
    const [oldest] = prompts;
    this.element.hidden = !oldest;
    if (!oldest) return;
    const verb = prompts.length === 1 ? "waits" : "wait";
    this.#words.textContent = `${count(prompts.length, "request")} ${verb} for you`;
    this.#review.href = approvalPage(oldest.id);
  }
}
