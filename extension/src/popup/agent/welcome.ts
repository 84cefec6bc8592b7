// The empty conversation, with suggestions.

import { h } from "../element";
import { emptyState } from "../parts";

const SUGGESTIONS = [
  "Save a new contact for me",
  "Which addresses do I have for Ethereum?",
  "Delete a contact I no longer need",
];

export function welcome(suggest: (text: string) => void): HTMLElement {
  const suggestion = (text: string): HTMLElement =>
    h("button", { type: "button", class: "suggestion", on: { click: () => suggest(text) } }, text);
  return emptyState(
    "agent",
    "What would you like to do?",
    "Tell the agent in your own words. It proposes, you countersign: nothing important happens without your approval.",
    h("div", { class: "suggestions" }, ...SUGGESTIONS.map(suggestion)),
  );
}
