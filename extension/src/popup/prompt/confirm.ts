// The answers to a confirmation, in the conversation and on the approval page: once, with a reason, or remembered.

import { h } from "../element";
import { t } from "../i18n";
import { PasswordGate } from "../password-gate";
import type { Answers } from "./answers";
import { reasonField } from "./reason";
import { bounds } from "./remember";

interface Confirming {
  answers: Answers;
  /** The reader of a reason: "The agent". */
  asker: string;
  /** What is called with. */
  params: Record<string, unknown>;
}

/** The page places the parts. */
export interface ConfirmParts {
  choices: HTMLElement;
  buttons: HTMLElement;
}

export function confirmParts({ answers, asker, params }: Confirming): ConfirmParts {
  const why = reasonField(asker);
  const limits = bounds(params);
  const gate = new PasswordGate();
  const allow = answers.button({
    words: t("prompt_always_allow"),
    approves: true,
    busy: t("prompt_allowing"),
    testId: "prompt-always-allow",
    type: "submit",
    answer: () => ({ approve: true, remember: limits.decision() }),
    gate,
  });
  const deny = answers.button({
    words: t("prompt_never_allow"),
    approves: false,
    busy: t("prompt_rejecting"),
    testId: "prompt-always-deny",
    tone: "danger",
    answer: () => ({ approve: false, remember: { kind: "deny" }, ...why.given() }),
  });
  const reject = answers.button({
    words: t("prompt_reject"),
    approves: false,
    busy: t("prompt_rejecting"),
    testId: "prompt-reject",
    answer: () => ({ approve: false, ...why.given() }),
  });
  const approve = answers.button({
    words: t("prompt_approve"),
    approves: true,
    busy: t("prompt_approving"),
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
      h("summary", { "data-testid": "prompt-for-good" }, t("prompt_remember")),
      h(
        "form",
        { class: "for-good", on: { submit: (event) => event.preventDefault() } },
        limits.element,
        gate.element,
        allow,
      ),
      h("div", { class: "for-good" }, h("span", {}, t("prompt_never_runs")), deny),
      h("p", { class: "hint" }, t("prompt_applies_to")),
    ),
  );
  return { choices, buttons: h("div", { class: "buttons" }, reject, approve, answers.why) };
}
