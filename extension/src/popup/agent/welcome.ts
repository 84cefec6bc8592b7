// The empty conversation, with suggestions.

import { h } from "../element";
import { t } from "../i18n";
import { emptyState } from "../parts";

const SUGGESTIONS = [
  t("agent_suggest_contact"),
  t("agent_suggest_addresses"),
  t("agent_suggest_delete"),
];

export function welcome(suggest: (text: string) => void): HTMLElement {
  const suggestion = (text: string): HTMLElement =>
    h("button", { type: "button", class: "suggestion", on: { click: () => suggest(text) } }, text);
  return emptyState(
    "agent",
    t("agent_welcome"),
    t("agent_welcome_text"),
    h("div", { class: "suggestions" }, ...SUGGESTIONS.map(suggestion)),
  );
}
