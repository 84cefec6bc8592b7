// A question with two buttons. The result is `{confirmed: true}` or `{confirmed: false}`.

import { h } from "../element";
import { t } from "../i18n";
import { valueView } from "../json/value-view";
import { AnswerButtons } from "./answer";
import { isFields, restOf, textIn, type Component } from "./component";

const WORDS = ["message", "question", "description", "action", "text"];

export const confirmation: Component = ({ input, output, submit, phase }) => {
  const words = textIn(input, ...WORDS);
  const title = textIn(input, "title");
  if (words === undefined && title === undefined && phase !== "writing") return undefined;
  const used = WORDS.find((name) => typeof input[name] === "string" && input[name] !== "") ?? "";
  // What else the agent says of it is part of what is confirmed.
  const rest = restOf(input, ["title", used]);
  const buttons =
    submit &&
    new AnswerButtons(submit, [
      { words: t("message_reject"), testId: "tool-reject", result: () => ({ value: { confirmed: false } }) },
      { words: t("message_confirm"), testId: "tool-confirm", tone: "primary", result: () => ({ value: { confirmed: true } }) },
    ]);
  return h(
    "div",
    { class: "tool-component", "data-testid": "tool-confirmation" },
    title !== undefined && h("p", {}, h("strong", {}, title)),
    words !== undefined && h("p", { class: "agent-words" }, words),
    rest && valueView(rest),
    buttons?.notice,
    buttons?.element,
    answered(output),
  );
};

/** What the person decided, once they did. */
function answered(output: unknown): HTMLElement | undefined {
  if (!isFields(output) || typeof output["confirmed"] !== "boolean") return undefined;
  const words = output["confirmed"] ? t("message_confirmed") : t("message_rejected");
  return h("p", { class: "tool-answer", "data-testid": "tool-answer" }, words);
}
