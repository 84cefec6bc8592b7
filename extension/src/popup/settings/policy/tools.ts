// Remembered decisions about tools, with a button that removes them. Decisions are made in prompts.

import type { ToolDecision } from "../../../../generated/ToolDecision";
import type { ToolRule } from "../../../../generated/ToolRule";
import { fill, h } from "../../element";
import { count, fullTime } from "../../format";
import type { Guarded } from "../../password-gate";
import { plain } from "../../plain";
import { ruleRow, whoWords, type Change, type Section } from "./rules";

export function toolDecisions(change: Change): Section {
  const list = h("ul", { class: "rules" });
  const none = h(
    "p",
    { class: "muted" },
    "None. When an action needs your approval, you can remember the decision.",
  );
  return {
    element: h(
      "section",
      { class: "rule-section", "aria-label": "Decisions" },
      h("h3", {}, "Decisions about actions"),
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
  if (decision.kind === "deny") return "Never allowed";
  const until = decision.until === null ? "" : `, until ${fullTime(decision.until)}`;
  return `Allowed without asking, at most ${count(decision.perDay, "time")} in 24 hours${until}`;
}

function row(rule: ToolRule, removed: Guarded): HTMLElement {
  const tool = plain(rule.tool);
  return ruleRow({
    testId: "policy-tool-row",
    main: [
      h("strong", {}, tool.replaceAll("_", " ")),
      h("span", {}, decisionWords(rule.decision)),
      h("span", { class: "muted small" }, `For ${whoWords(rule.who)}`),
    ],
    remove: [`Remove the decision about ${tool}`, "policy-tool-remove"],
    removed,
  });
}

function same(a: ToolRule, b: ToolRule): boolean {
  return a.tool === b.tool && whoWords(a.who) === whoWords(b.who) && a.decision.kind === b.decision.kind;
}
