// An optional reason for a rejection, sent to the requester.

import { h } from "../element";

const LONGEST = 300;

export interface ReasonField {
  element: HTMLElement;
  /** `{}` if empty. */
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
    h("summary", { "data-testid": "prompt-give-reason" }, "Add a reason for rejecting"),
    h("div", { class: "field" }, input, h("span", { class: "hint" }, `Optional. ${asker} receives it.`)),
  );
  const given = (): { reason?: string } => {
    const reason = input.value.trim();
    return reason === "" ? {} : { reason };
  };
  return { element, given };
}
