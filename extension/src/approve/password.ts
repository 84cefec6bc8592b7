// The password prompt, with what it will sign.

import type { PasswordReason } from "../../generated/PasswordReason";
import { bundlePart } from "../popup/bundle/bundle";
import { h } from "../popup/element";
import { forget, secretField, secretInput } from "../popup/field";
import { plural, t, tParts } from "../popup/i18n";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import { bundleFacts } from "./approval";
import { callFacts, callPart } from "./confirmation";
import { messageFacts, messagePart } from "./message";
import type { Asked, Parts, PasswordSubject } from "./prompt";

const REASONS: Record<PasswordReason, string> = {
  sign: t("approve_why_sign"),
  approval_skipped: t("approve_why_skipped"),
  locked_meanwhile: t("approve_why_locked"),
  secrets: t("approve_why_secrets"),
  message: t("approve_why_message"),
};

function factsOf(about: PasswordSubject): HTMLElement {
  if ("bundle" in about) return bundleFacts(about.bundle);
  return "message" in about ? messageFacts(about.message) : callFacts(about.call);
}

function shownPart(about: PasswordSubject): HTMLElement {
  if ("bundle" in about) return bundlePart(about.bundle);
  return "message" in about ? messagePart(about.message) : callPart(about.call);
}

export function passwordParts(asked: Extract<Asked, { kind: "password_required" }>, answers: Answers): Parts {
  const { prompt, about, minutes } = asked;
  const isForSecrets = prompt.why === "secrets";
  const password = secretInput({ id: "prompt-password", required: true, "data-testid": "prompt-password" });
  const keep = h("input", { id: "prompt-keep", type: "checkbox", "data-testid": "prompt-keep-unlocked" });
  const submit = answers.button({
    words: isForSecrets ? t("approve_unlock_secrets") : t("approve_unlock"),
    approves: true,
    busy: t("approve_unlocking"),
    testId: "prompt-submit",
    tone: "primary",
    type: "submit",
    answer: () => {
      const answer = { approve: true, password: password.value, keepUnlocked: keep.checked };
      // The typed password leaves the page with the answer.
      forget(password);
      return answer;
    },
  });
  const cancel = answers.button({
    words: isForSecrets ? t("approve_send_not") : t("approve_sign_not"),
    approves: false,
    busy: t("approve_cancelling"),
    testId: "prompt-reject",
    answer: () => ({ approve: false }),
  });
  const form = h(
    "form",
    { id: "password-form", class: "password", on: { submit: (event) => event.preventDefault() } },
    secretField(t("approve_password"), password),
    // Without an approval, the password unlocks for this bundle only.
    prompt.why !== "approval_skipped" &&
      h(
        "label",
        { class: "tick", for: keep.id },
        keep,
        t(plural(minutes, "approve_keep_unlocked_one", "approve_keep_unlocked_other"), minutes),
      ),
  );
  // The button is outside of the form.
  submit.setAttribute("form", form.id);
  return {
    body: h(
      "div",
      { class: "asked" },
      h("h1", { tabindex: -1 }, ...tParts("approve_password_for", h("q", {}, plain(prompt.vaultName)))),
      h("p", {}, REASONS[prompt.why]),
      factsOf(about),
      form,
      h(
        "details",
        { class: "choice", open: prompt.why === "approval_skipped" || isForSecrets },
        h("summary", { "data-testid": "prompt-what" }, isForSecrets ? t("approve_what_sent") : t("approve_what_signed")),
        shownPart(about),
      ),
    ),
    buttons: h("div", { class: "buttons" }, cancel, submit, answers.why),
    focus: password,
  };
}
