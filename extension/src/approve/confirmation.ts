// The confirmation of an action.

import type { Call } from "../../generated/Call";
import type { Prompt } from "../../generated/Prompt";
import { entryList } from "../popup/agent/entries";
import { senderWords } from "../popup/bundle/bundle";
import { intentOf, sourceWords, titleOf } from "../popup/describe";
import { h } from "../popup/element";
import { pretty } from "../popup/format";
import { t, tParts } from "../popup/i18n";
import { definitionPart } from "../popup/mcp/definition";
import { originHeader } from "../popup/origin";
import { plain } from "../popup/plain";
import { previewPart } from "../popup/preview";
import type { Answers } from "../popup/prompt/answers";
import { confirmParts } from "../popup/prompt/confirm";
import { reasonHints } from "../popup/reason-words";
import type { Parts } from "./prompt";

export function confirmationParts(call: Call, prompt: Prompt, answers: Answers): Parts {
  const intent = intentOf(call);
  const asker = senderWords(call.source);
  const { choices, buttons } = confirmParts({ answers, asker, params: call.params });
  const body = h(
    "div",
    { class: "asked" },
    h("h1", { tabindex: -1 }, intent === undefined ? t("approve_run_question") : t("approve_intent_question", intent)),
    call.source.kind === "dapp" && originHeader(call.source.origin),
    callFacts(call),
    entryList(call, true),
    previewPart(call),
    ...reasonHints(prompt),
    definitionPart(call, prompt),
    h(
      "details",
      { class: "choice" },
      h("summary", {}, t("approve_full_request")),
      h("p", { class: "hint" }, ...tParts("approve_tool", h("code", {}, call.tool ?? call.type))),
      h("pre", {}, plain(pretty(call.params))),
    ),
    choices,
  );
  return { body, buttons };
}

/** The requester and their words. */
export function callFacts(call: Call): HTMLElement {
  return h(
    "div",
    { class: "about" },
    h("p", {}, ...tParts("approve_calls_this", senderWords(call.source), h("q", {}, plain(titleOf(call))))),
    call.description !== undefined && h("p", { class: "muted" }, plain(call.description)),
    h("p", { class: "muted small" }, ...tParts("approve_requested_by", h("b", {}, sourceWords(call.source)))),
  );
}

/** What a call sends; its input if that is not known. */
export function callPart(call: Call): HTMLElement {
  return previewPart(call) ?? h("pre", {}, plain(pretty(call.params)));
}
