// What an empty conversation shows: what can be asked for, in words that can be taken over.

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
    "What should be done?",
    "Tell the agent in your own words. It proposes, you countersign: nothing that matters happens without your yes.",
    h("div", { class: "suggestions" }, ...SUGGESTIONS.map(suggestion)),
  );
}
