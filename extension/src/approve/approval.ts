// The approval of a bundle.

import type { Bundle } from "../../generated/Bundle";
import { bundlePart, senderWords, transactionsIn } from "../popup/bundle/bundle";
import { sourceWords } from "../popup/describe";
import { h } from "../popup/element";
import { count } from "../popup/format";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import { reasonField } from "../popup/prompt/reason";
import type { Parts } from "./prompt";

export function approvalParts(bundle: Bundle, answers: Answers): Parts {
  const why = reasonField(senderWords(bundle.source));
  const approve = answers.button({
    words: "Approve and sign",
    approves: true,
    busy: "Approving…",
    testId: "prompt-approve",
    tone: "primary",
    answer: () => ({ approve: true }),
  });
  const reject = answers.button({
    words: "Reject",
    approves: false,
    busy: "Rejecting…",
    testId: "prompt-reject",
    answer: () => ({ approve: false, ...why.given() }),
  });
  return {
    body: h(
      "div",
      { class: "asked" },
      h("h1", { tabindex: -1 }, `Sign ${count(transactionsIn(bundle), "transaction")}?`),
      bundleFacts(bundle),
      bundlePart(bundle),
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
      h("h2", { "data-testid": "bundle-label" }, `${senderWords(source)} calls this: `, h("q", {}, plain(label))),
    h(
      "p",
      { class: "muted small" },
      "Requested by ",
      h("b", { "data-testid": "bundle-source" }, sourceWords(source)),
      " · signed by the vault ",
      h("b", { "data-testid": "bundle-vault" }, plain(vaultName)),
    ),
  );
}
