// The answers to a confirmation, in the conversation and on the approval page: once, with a reason, or remembered.

import { h } from "../element";
import { PasswordGate } from "../password-gate";
import type { Answers } from "./answers";
import { reasonField } from "./reason";
import { bounds } from "./remember";

interface Confirming {
  answers: Answers;
  /** The reader of a reason: "The agent". */
  asker: string;
}

/** The page places the parts. */
export interface ConfirmParts {
  choices: HTMLElement;
  buttons: HTMLElement;
}

export function confirmParts({ answers, asker }: Confirming): ConfirmParts {
  const why = reasonField(asker);
  const limits = bounds();
  const gate = new PasswordGate();
  const allow = answers.button({
    words: "Always allow",
    approves: true,
    busy: "Allowing…",
    testId: "prompt-always-allow",
    type: "submit",
    answer: () => ({ approve: true, remember: limits.decision() }),
    gate,
  });
  const deny = answers.button({
    words: "Never allow",
    approves: false,
    busy: "Rejecting…",
    testId: "prompt-always-deny",
    tone: "danger",
    answer: () => ({ approve: false, remember: { kind: "deny" }, ...why.given() }),
  });
  const reject = answers.button({
    words: "Reject",
    approves: false,
    busy: "Rejecting…",
    testId: "prompt-reject",
    answer: () => ({ approve: false, ...why.given() }),
  });
  const approve = answers.button({
    words: "Approve",
    approves: true,
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
      h("summary", { "data-testid": "prompt-for-good" }, "Remember a decision"),
      h(
        "form",
        { class: "for-good", on: { submit: (event) => event.preventDefault() } },
        limits.element,
        gate.element,
        allow,
      ),
      h("div", { class: "for-good" }, h("span", {}, "It never runs, and you are not asked again."), deny),
      h("p", { class: "hint" }, "Applies to this kind of action from this sender. You can remove it in Settings."),
    ),
  );
  return { choices, buttons: h("div", { class: "buttons" }, reject, approve, answers.why) };
}
