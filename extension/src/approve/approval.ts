// The approval of a bundle.

import type { Bundle } from "../../generated/Bundle";
import { bundlePart, senderWords, transactionsIn } from "../popup/bundle/bundle";
import { sourceWords } from "../popup/describe";
import { h } from "../popup/element";
import { plural, t, tParts } from "../popup/i18n";
import { originHeader } from "../popup/origin";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import { reasonField } from "../popup/prompt/reason";
import { feePart } from "./fees";
import type { Parts } from "./prompt";

export function approvalParts(bundle: Bundle, answers: Answers): Parts {
  const why = reasonField(senderWords(bundle.source));
  const approve = answers.button({
    words: t("approve_sign"),
    approves: true,
    busy: t("approve_approving"),
    testId: "prompt-approve",
    tone: "primary",
    answer: () => ({ approve: true }),
  });
  const reject = answers.button({
    words: t("approve_reject"),
    approves: false,
    busy: t("approve_rejecting"),
    testId: "prompt-reject",
    answer: () => ({ approve: false, ...why.given() }),
  });
  const amount = transactionsIn(bundle);
  return {
    body: h(
      "div",
      { class: "asked" },
      h("h1", { tabindex: -1 }, t(plural(amount, "approve_sign_question_one", "approve_sign_question_other"), amount)),
      bundle.source.kind === "dapp" && originHeader(bundle.source.origin),
      bundleFacts(bundle),
      bundle.forPage && h("p", { class: "hint", "data-testid": "bundle-for-page" }, t("approve_for_page")),
      bundlePart(bundle),
      feePart(bundle),
      why.element,
    ),
    buttons: h("div", { class: "buttons" }, reject, approve, answers.why),
  };
}

/** The requester, their label, and the vault that would sign. */
export function bundleFacts({ label, source, vaultName }: Bundle): HTMLElement {
  return h(
    "div",
    { class: "about" },
    label !== null &&
      label !== "" &&
      h(
        "h2",
        { "data-testid": "bundle-label" },
        ...tParts("approve_calls_this", senderWords(source), h("q", {}, plain(label))),
      ),
    h(
      "p",
      { class: "muted small" },
      ...tParts(
        "approve_facts",
        h("b", { "data-testid": "bundle-source" }, sourceWords(source)),
        h("b", { "data-testid": "bundle-vault" }, plain(vaultName)),
      ),
    ),
  );
}
