// An optional reason for a rejection, sent to the requester.

import { h } from "../element";
import { t } from "../i18n";

const LONGEST = 300;

export interface ReasonField {
  element: HTMLElement;
  /** `{}` if empty. */
  given(): { reason?: string };
}

export function reasonField(asker: string): ReasonField {
  const input = h("input", {
    "aria-label": t("prompt_reason"),
    placeholder: t("prompt_reason_example"),
    maxlength: LONGEST,
    autocomplete: "off",
    "data-testid": "prompt-reason",
  });
  const element = h(
    "details",
    { class: "choice" },
    h("summary", { "data-testid": "prompt-give-reason" }, t("prompt_add_reason")),
    h("div", { class: "field" }, input, h("span", { class: "hint" }, t("prompt_reason_receiver", asker))),
  );
  const given = (): { reason?: string } => {
    const reason = input.value.trim();
    return reason === "" ? {} : { reason };
  };
  return { element, given };
}
