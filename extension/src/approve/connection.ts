// The approval of a site's connection.

import { h } from "../popup/element";
import { t } from "../popup/i18n";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import type { Parts } from "./prompt";

const CAN = [t("approve_can_see"), t("approve_can_ask")];
const CANNOT = [t("approve_cannot_sign"), t("approve_cannot_see")];

export function connectionParts(origin: string, answers: Answers): Parts {
  const approve = answers.button({
    words: t("approve_connect"),
    approves: true,
    busy: t("approve_connecting"),
    testId: "prompt-approve",
    tone: "primary",
    answer: () => ({ approve: true }),
  });
  const reject = answers.button({
    words: t("approve_connect_not"),
    approves: false,
    busy: t("approve_rejecting"),
    testId: "prompt-reject",
    answer: () => ({ approve: false }),
  });
  const body = h(
    "div",
    { class: "asked" },
    h("h1", { tabindex: -1 }, t("approve_connect_question")),
    h("p", { class: "origin", "data-testid": "prompt-origin" }, plain(origin)),
    h("p", {}, t("approve_connect_check")),
    list(t("approve_connect_able"), CAN, "check"),
    list(t("approve_connect_unable"), CANNOT, "cross"),
    h("p", { class: "hint" }, t("approve_connect_undo")),
  );
  return { body, buttons: h("div", { class: "buttons" }, reject, approve, answers.why) };
}

function list(heading: string, lines: readonly string[], sign: "check" | "cross"): HTMLElement {
  return h(
    "div",
    {},
    h("h2", {}, heading),
    h("ul", { class: "abilities", "data-sign": sign }, ...lines.map((line) => h("li", {}, line))),
  );
}
