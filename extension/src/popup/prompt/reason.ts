// Why the person says no: a line that reaches whoever asked, for those who want to write one.

import { h } from "../element";

const LONGEST = 300;

export interface ReasonField {
  element: HTMLElement;
  /** `{}` where nothing was written. */
  given(): { reason?: string };
}

export function reasonField(asker: string): ReasonField {
  const input = h("input", {
    "aria-label": "Reason",
    placeholder: "For example: too expensive",
    maxlength: LONGEST,
    autocomplete: "off",
    "data-testid": "prompt-reason",
  });
  const element = h(
    "details",
    { class: "choice" },
    h("summary", { "data-testid": "prompt-give-reason" }, "Say why when you reject"),
    h("div", { class: "field" }, input, h("span", { class: "hint" }, `Optional. ${asker} gets to read it.`)),
  );
  const given = (): { reason?: string } => {
    const reason = input.value.trim();
    return reason === "" ? {} : { reason };
  };
  return { element, given };
}
