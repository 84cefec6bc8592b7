// A bar above every view while prompts are open, with a link to them.

import type { Prompt } from "../../../generated/Prompt";
import { h } from "../element";
import { plural, t } from "../i18n";
import { approvalPage } from "./page";

export class PromptBar {
  readonly #words = h("span", {});
  readonly #review = h("a", { class: "button", "data-testid": "prompt-review" }, t("prompt_review"));
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
    const amount = prompts.length;
    this.#words.textContent = t(plural(amount, "prompt_waiting_one", "prompt_waiting_other"), amount);
    this.#review.href = approvalPage(oldest.id);
  }
}
