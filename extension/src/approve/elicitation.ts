// What an MCP server wants to know.

import type { Call } from "../../generated/Call";
import { h } from "../popup/element";
import { pretty } from "../popup/format";
import { t, tParts } from "../popup/i18n";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import { elicitationParts, type Elicitation } from "../popup/prompt/elicitation";
import { callFacts } from "./confirmation";
import type { Parts } from "./prompt";

export function serverQuestionParts(call: Call, prompt: Elicitation, answers: Answers): Parts {
  const { body, buttons, focus } = elicitationParts(prompt, answers);
  return {
    body: h(
      "div",
      { class: "asked" },
      h("h1", { tabindex: -1 }, ...tParts("approve_server_question", h("q", {}, plain(prompt.server)))),
      body,
      callFacts(call),
      h(
        "details",
        { class: "choice" },
        h("summary", {}, t("approve_full_request")),
        h("p", { class: "hint" }, ...tParts("approve_tool", h("code", {}, plain(call.tool ?? call.type)))),
        h("pre", {}, plain(pretty(call.params))),
      ),
    ),
    buttons,
    ...(focus ? { focus } : {}),
  };
}
