// A remembered decision about a tool: allowed within the user's bounds, or never.

import type { ToolDecision } from "../../../generated/ToolDecision";
import { boundsLike, boundWords } from "../argument-bounds";
import { h } from "../element";
import { choice } from "../field";
import { t } from "../i18n";

const WEEK_MILLIS = 7 * 24 * 60 * 60 * 1000;
const MOST_PER_DAY = 1_000;
const USUAL_PER_DAY = 10;

export type Span = "today" | "week" | "ever";

/** When the permission ends: at midnight local time, in seven days, or never. */
export function until(span: Span, now: number): number | null {
  switch (span) {
    case "today":
      return new Date(now).setHours(24, 0, 0, 0);
    case "week":
      return now + WEEK_MILLIS;
    case "ever":
      return null;
  }
}

/** Clamps any input to a number that the core accepts. */
export function bound(typed: string): number {
  const wanted = Math.floor(Number(typed));
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 1), MOST_PER_DAY) : USUAL_PER_DAY;
}

export interface Bounds {
  element: HTMLElement;
  decision(): ToolDecision;
}

/** `params`: the call's, of which bounds on arguments are offered. */
export function bounds(params: Record<string, unknown>): Bounds {
  const perDay = h("input", {
    type: "number",
    min: 1,
    max: MOST_PER_DAY,
    value: USUAL_PER_DAY,
    "aria-label": t("prompt_per_day"),
    "data-testid": "prompt-per-day",
  });
  const spans: readonly (readonly [Span, string])[] = [
    ["today", t("prompt_until_midnight")],
    ["week", t("prompt_for_a_week")],
    ["ever", t("prompt_forever")],
  ];
  const span = choice(spans, { "aria-label": t("prompt_how_long"), "data-testid": "prompt-until" });
  const offered = boundsLike(params).map((bound) => {
    const tick = h("input", { type: "checkbox", "data-testid": "prompt-bound" });
    const element = h("label", { class: "tick" }, tick, h("span", {}, t("prompt_only_if", boundWords(bound))));
    return { bound, tick, element };
  });
  const element = h(
    "div",
    { class: "limits" },
    h(
      "span",
      { class: "bounds" },
      h("span", {}, t("prompt_at_most")),
      perDay,
      h("span", {}, t("prompt_times_a_day")),
      span,
    ),
    ...offered.map(({ element }) => element),
  );
  const decision = (): ToolDecision => ({
    kind: "allow",
    perDay: bound(perDay.value),
    until: until(span.value as Span, Date.now()),
    arguments: offered.filter(({ tick }) => tick.checked).map(({ bound }) => bound),
  });
  return { element, decision };
}
