// What became of the prompt that the page was opened for, if it is not open.

import type { Prompt } from "../../generated/Prompt";
import type { PromptOutcome } from "../../generated/PromptOutcome";
import { fill, h } from "../popup/element";
import { t } from "../popup/i18n";
import { emptyState } from "../popup/parts";

/** `unknown`: no such prompt, or settled more than a day ago. */
export type Fate = PromptOutcome | "unknown";

const WORDS: Record<Fate, readonly [title: string, text: string]> = {
  approved: [t("approve_fate_approved"), t("approve_fate_approved_text")],
  rejected: [t("approve_fate_rejected"), t("approve_fate_rejected_text")],
  expired: [t("approve_fate_expired"), t("approve_fate_expired_text")],
  replaced: [t("fee_fate"), t("fee_fate_text")],
  unknown: [t("approve_fate_unknown"), t("approve_fate_unknown_text")],
};

/** Nothing if the prompt is open. One whose time is over gets no answer any more, also if nothing noticed that yet. */
export function fateOf(prompt: Pick<Prompt, "outcome" | "expiresAt"> | undefined, now: number): Fate | undefined {
  if (!prompt) return "unknown";
  return prompt.outcome ?? (prompt.expiresAt <= now ? "expired" : undefined);
}

/** The prompts that can still be answered. */
export const answerable = (prompts: readonly Prompt[], now: number): Prompt[] =>
  prompts.filter((prompt) => fateOf(prompt, now) === undefined);

/** The page for a prompt that is not open, with a link to those that are. */
export class FateState {
  readonly element: HTMLElement;
  readonly #link = h("div", { class: "buttons" });

  constructor(fate: Fate, more?: HTMLElement) {
    const [title, text] = WORDS[fate];
    const state = emptyState(fate === "approved" ? "check" : "cross", title, text);
    state.querySelector("h2")?.setAttribute("tabindex", "-1");
    const about = { class: "asked", "data-testid": "prompt-fate", "data-fate": fate };
    this.element = h("div", about, state, more, this.#link);
  }

  /** Offers the open prompts; the page opens anew for them. */
  offer(open: number, href: string): void {
    const words = open === 1 ? t("approve_show_open_one") : t("approve_show_open_other", open);
    const link = h("a", { class: "button primary", href, "data-testid": "prompt-show-open" }, words);
    fill(this.#link, open > 0 && link);
  }

  focus(): void {
    this.element.querySelector("h2")?.focus();
  }
}
