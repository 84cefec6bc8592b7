// Remembered decisions about tools, with a button that removes them. Decisions are made in prompts.

import type { ToolDecision } from "../../../../generated/ToolDecision";
import type { ToolRule } from "../../../../generated/ToolRule";
import { boundWords } from "../../argument-bounds";
import { fill, h } from "../../element";
import { fullTime } from "../../format";
import { plural, t } from "../../i18n";
import type { Guarded } from "../../password-gate";
import { plain } from "../../plain";
import { ruleRow, whoWords, type Change, type Section } from "./rules";

export function toolDecisions(change: Change): Section {
  const list = h("ul", { class: "rules" });
  const none = h("p", { class: "muted" }, t("settings_decisions_none"));
  return {
    element: h(
      "section",
      { class: "rule-section", "aria-label": t("settings_decisions") },
      h("h3", {}, t("settings_decisions_title")),
      none,
      list,
    ),
    show(policy) {
      none.hidden = policy.tools.length > 0;
      const remove = (rule: ToolRule, password?: string): Promise<void> =>
        change((now) => ({ ...now, tools: now.tools.filter((other) => !same(other, rule)) }), password);
      fill(list, ...policy.tools.map((rule) => row(rule, (password) => remove(rule, password))));
    },
  };
}

export function decisionWords(decision: ToolDecision): string {
  if (decision.kind === "deny") return t("settings_decision_deny");
  const { perDay, until } = decision;
  if (until === null) return t(plural(perDay, "settings_decision_allow_one", "settings_decision_allow_other"), perDay);
  const key = plural(perDay, "settings_decision_until_one", "settings_decision_until_other");
  return t(key, perDay, fullTime(until));
}

/** What the arguments must be; empty without such bounds. */
export function boundsOf(decision: ToolDecision): string[] {
  return decision.kind === "allow" ? (decision.arguments ?? []).map(boundWords) : [];
}

function row(rule: ToolRule, removed: Guarded): HTMLElement {
  const tool = plain(rule.tool);
  return ruleRow({
    testId: "policy-tool-row",
    main: [
      h("strong", {}, tool.replaceAll("_", " ")),
      h("span", {}, decisionWords(rule.decision)),
      ...boundsOf(rule.decision).map((words) =>
        h("span", { "data-testid": "policy-tool-bound" }, t("settings_decision_only_if", words)),
      ),
      h("span", { class: "muted small" }, t("settings_decision_for", whoWords(rule.who))),
    ],
    remove: [t("settings_decision_remove", tool), "policy-tool-remove"],
    removed,
  });
}

function same(a: ToolRule, b: ToolRule): boolean {
  return a.tool === b.tool && whoWords(a.who) === whoWords(b.who) && a.decision.kind === b.decision.kind;
}
