// The password prompt, with what it will sign.

import type { PasswordReason } from "../../generated/PasswordReason";
import { bundlePart } from "../popup/bundle/bundle";
import { h } from "../popup/element";
import { forget, secretField, secretInput } from "../popup/field";
import { count } from "../popup/format";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import { bundleFacts } from "./approval";
import type { Asked, Parts } from "./prompt";

const REASONS: Record<PasswordReason, string> = {
  sign: "You approved this. Enter the password to sign it.",
  approval_skipped: "Your settings allow signing this without an approval. Check it before you enter the password.",
  locked_meanwhile: "The vault was locked before everything was signed. Enter the password to continue.",
};

export function passwordParts(asked: Extract<Asked, { kind: "password_required" }>, answers: Answers): Parts {
  const { prompt, bundle, minutes } = asked;
  const password = secretInput({ id: "prompt-password", required: true, "data-testid": "prompt-password" });
  const keep = h("input", { id: "prompt-keep", type: "checkbox", "data-testid": "prompt-keep-unlocked" });
  const submit = answers.button({
    words: "Unlock and sign",
    approves: true,
    busy: "Unlocking…",
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
    words: "Do not sign",
    approves: false,
    busy: "Cancelling…",
    testId: "prompt-reject",
    answer: () => ({ approve: false }),
  });
  const form = h(
    "form",
    { id: "password-form", class: "password", on: { submit: (event) => event.preventDefault() } },
    secretField("Password", password),
    // Without an approval, the password unlocks for this bundle only.
    prompt.why !== "approval_skipped" &&
      h("label", { class: "tick", for: keep.id }, keep, `Keep the vault unlocked for ${count(minutes, "minute")}`),
  );
  // The button is outside of the form.
  submit.setAttribute("form", form.id);
  return {
    body: h(
      "div",
      { class: "asked" },
      h("h1", { tabindex: -1 }, "Password for ", h("q", {}, plain(prompt.vaultName))),
      h("p", {}, REASONS[prompt.why]),
      bundleFacts(bundle),
      form,
      h(
        "details",
        { class: "choice", open: prompt.why === "approval_skipped" },
        h("summary", { "data-testid": "prompt-what" }, "What will be signed"),
        bundlePart(bundle),
      ),
    ),
    buttons: h("div", { class: "buttons" }, cancel, submit, answers.why),
    focus: password,
  };
}
