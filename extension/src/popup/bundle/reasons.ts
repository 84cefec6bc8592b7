// What the policy found, as boxes that cannot be overlooked.

import type { Reason } from "../../../generated/Reason";
import { h } from "../element";
import { plain } from "../plain";

/** Only risks and refusals; the usual reasons to ask are no news. */
export function warnings(reasons: readonly Reason[]): Reason[] {
  return reasons.filter(({ severity }) => severity !== "info");
}

export function warningBox({ severity, message, sequence }: Reason, withStep: boolean): HTMLElement {
  const step = withStep && sequence !== undefined ? `Step ${sequence}: ` : "";
  return h(
    "li",
    { class: "warning", "data-testid": "bundle-warning", "data-severity": severity },
    h("b", {}, severity === "block" ? "Blocked" : "Careful"),
    h("span", {}, step, plain(message)),
  );
}

export function warningList(reasons: readonly Reason[], withStep: boolean): HTMLElement | undefined {
  if (reasons.length === 0) return undefined;
  return h("ul", { class: "warnings", "aria-label": "Warnings" }, ...reasons.map((it) => warningBox(it, withStep)));
}
