// The answers to "may this run?", in the conversation and in the approval window: once, with a reason, or for good.

import { h } from "../element";
import type { Answers } from "./answers";
import { reasonField } from "./reason";
import { bounds } from "./remember";

interface Confirming {
  answers: Answers;
  /** Who reads a reason: "The agent". */
  asker: string;
}

/** Where the buttons stand is up to the page around them. */
export interface ConfirmParts {
  choices: HTMLElement;
  buttons: HTMLElement;
}

export function confirmParts({ answers, asker }: Confirming): ConfirmParts {
  const why = reasonField(asker);
  const limits = bounds();
  const allow = answers.button({
    words: "Always allow",
    busy: "Allowing…",
    testId: "prompt-always-allow",
    answer: () => ({ approve: true, remember: limits.decision() }),
  });
  const deny = answers.button({
    words: "Never allow",
    busy: "Rejecting…",
    testId: "prompt-always-deny",
    tone: "danger",
    answer: () => ({ approve: false, remember: { kind: "deny" }, ...why.given() }),
  });
  const reject = answers.button({
    words: "Reject",
    busy: "Rejecting…",
    testId: "prompt-reject",
    answer: () => ({ approve: false, ...why.given() }),
  });
  const approve = answers.button({
    words: "Approve",
    busy: "Approving…",
    testId: "prompt-approve",
    tone: "primary",
    answer: () => ({ approve: true }),
  });
  const choices = h(
    "div",
    { class: "choices" },
    why.element,
    h(
      "details",
      { class: "choice" },
      h("summary", { "data-testid": "prompt-for-good" }, "Decide for good"),
      h("div", { class: "for-good" }, limits.element, allow),
      h("div", { class: "for-good" }, h("span", {}, "It never runs, and you are not asked again."), deny),
      h("p", { class: "hint" }, "Counts for this kind of action from this sender. You can take it back in Settings."),
    ),
  );
  return { choices, buttons: h("div", { class: "buttons" }, reject, approve, answers.why) };
}
