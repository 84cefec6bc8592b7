// One tool: its switch, whether it can be called, and on request everything else.

import { fill, h, icon, type Child } from "../../popup/element";
import { pretty } from "../../popup/format";
import { plural, t } from "../../popup/i18n";
import { confirmInline, problem, whileBusy } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { RunPanel } from "../../popup/palette/run-panel";
import { deleteTool, switchTool } from "../api";
import { signInOf } from "../sign-in";
import { signInPart } from "../sign-in-part";
import { toggle } from "../switch";
import { Tester } from "../tester/tester";
import type { Tool } from "../types";
import { categoryWords, consequenceWords, dateWords, metricsWords, reasonWords, typeWords } from "../words";
import type { Group } from "./groups";

export interface RowActions {
  /** Opens the editor with a new version of the tool. */
  edit(tool: Tool): void;
  /** A tool changed; with nothing if it is gone. */
  changed(tool?: Tool): void;
  isOpen(id: string): boolean;
  opened(id: string, isOpen: boolean): void;
  /** The parts of a row that outlive it: rows are made again when something changes, what a user does in one goes on. */
  parts(tool: Tool): RowParts;
}

export interface RowParts {
  /** Where a tool is tested, run or deleted. */
  readonly slot: HTMLElement;
  readonly signIn: HTMLElement | undefined;
}

/** The parts of rows by the ids of their tools. */
export function rowParts(): RowActions["parts"] {
  const known = new Map<string, RowParts>();
  return (tool) => {
    const signIn = tool.type === "http" ? signInOf(tool) : undefined;
    const parts = known.get(tool.id) ?? { slot: h("div", { class: "tool-slot" }), signIn: signIn && signInPart(signIn) };
    known.set(tool.id, parts);
    return parts;
  };
}

let rows = 0;

/** The newest version, with the older ones below. */
export function toolGroup({ newest, older }: Group, actions: RowActions): HTMLElement {
  const others =
    older.length > 0 &&
    h(
      "details",
      { class: "tool-older" },
      h("summary", {}, t(plural(older.length, "tools_older_one", "tools_older_other"), older.length)),
      h("ul", { class: "tool-list" }, ...older.map((tool) => toolRow(tool, actions, false))),
    );
  return toolRow(newest, actions, others);
}

export function toolRow(tool: Tool, actions: RowActions, others: Child): HTMLElement {
  rows += 1;
  const bodyId = `tool-${rows}`;
  const notice = h("div", { class: "notice-slot" });
  const body = h("div", { id: bodyId, class: "tool-body", hidden: true });
  const name = plain(tool.displayName);
  const { isCallable, reason } = tool.effective;
  const head = h(
    "button",
    { type: "button", class: "tool-head", "aria-expanded": "false", "aria-controls": bodyId, "data-testid": "tool-open" },
    icon("down"),
    h(
      "span",
      { class: "tool-main" },
      h(
        "span",
        { class: "tool-title" },
        h("strong", {}, name),
        h("code", {}, `+${plain(tool.slug)}`),
        h("span", { class: "chip" }, plain(tool.version)),
        h("span", { class: "chip" }, typeWords(tool.type)),
      ),
      h("span", { class: "tool-summary" }, plain(firstSentence(tool.description))),
      !isCallable && h("span", { class: "tool-reason", "data-testid": "tool-reason" }, reasonWords(reason ?? "")),
    ),
  );
  const open = (isOpen: boolean): void => {
    head.setAttribute("aria-expanded", String(isOpen));
    body.hidden = !isOpen;
    if (isOpen && !body.hasChildNodes()) fill(body, ...details(tool, actions, others));
  };
  head.addEventListener("click", () => {
    open(body.hidden);
    actions.opened(tool.id, !body.hidden);
  });
  if (actions.isOpen(tool.id)) open(true);
  return h(
    "li",
    {
      class: "tool",
      "data-testid": "tool-row",
      "data-slug": tool.slug,
      "data-version": tool.version,
      "data-callable": String(isCallable),
    },
    h(
      "div",
      { class: "tool-line" },
      head,
      toggle({
        label: t("tools_switch", name),
        isOn: tool.isEnabled,
        testId: "tool-switch",
        change: async (isOn) => actions.changed(await switchTool(tool, isOn)),
        failed: (error) => fill(notice, problem(error)),
      }),
    ),
    notice,
    body,
  );
}

function details(tool: Tool, actions: RowActions, others: Child): Child[] {
  const asks = tool.requiresConfirmation ? t("tools_asks_first") : t("tools_asks_not");
  const { slot, signIn } = actions.parts(tool);
  return [
    h("p", {}, plain(tool.description)),
    h(
      "dl",
      { class: "record tool-record" },
      ...line(t("tools_calls"), h("span", { "data-testid": "tool-metrics" }, metricsWords(tool.metrics))),
      ...line(t("tools_agent_name"), h("code", {}, plain(tool.name))),
      ...line(t("tools_kind"), categoryWords(tool.category)),
      ...line(t("tools_depends"), consequenceWords(tool.consequenceLevel)),
      ...line(t("tools_asks"), asks),
      ...(signIn ? line(t("tools_auth"), signIn) : []),
      ...(tool.tags.length > 0 ? line(t("tools_tags"), tool.tags.map(plain).join(", ")) : []),
      ...(tool.isBuiltIn ? [] : line(t("tools_made"), dateWords(tool.createdAt))),
    ),
    buttons(tool, actions, slot),
    slot,
    others,
    h("details", { class: "raw" }, h("summary", {}, t("tools_as_json")), h("pre", {}, plain(pretty(recordOf(tool))))),
  ];
}

/** The stored record, without what is computed. */
function recordOf({ name: _name, effective: _effective, metrics: _metrics, ...record }: Tool): object {
  return record;
}

function buttons(tool: Tool, actions: RowActions, slot: HTMLElement): HTMLElement {
  const close = (): void => {
    fill(slot);
    // The row may be another one by now.
    slot.parentElement?.querySelector<HTMLElement>("[data-testid=tool-try]")?.focus();
  };
  const run = h("button", { type: "button", "data-testid": "tool-try" }, t("tools_try"));
  run.addEventListener("click", () => {
    if (tool.type === "http") {
      const tester = new Tester({ draft: () => tool, close });
      fill(slot, tester.element);
      return tester.focus();
    }
    const panel = new RunPanel(tool, { close });
    fill(slot, panel.element);
    panel.focus();
  });
  const isServed = tool.type === "mcp";
  if (tool.isBuiltIn || isServed) {
    const words = isServed ? t("mcp_read_only") : t("tools_read_only");
    return h("div", { class: "buttons tool-buttons" }, h("span", { class: "muted small" }, words), run);
  }
  const edit = h("button", { type: "button", "data-testid": "tool-edit", on: { click: () => actions.edit(tool) } }, t("tools_edit"));
  const remove = h("button", { type: "button", class: "quiet", "data-testid": "tool-delete" }, icon("bin"), t("tools_delete"));
  remove.addEventListener("click", () => {
    const kept = (): void => {
      fill(slot);
      remove.focus();
    };
    const question = t("tools_delete_question", plain(tool.displayName), plain(tool.version));
    const confirmed = (button: HTMLButtonElement): void => {
      whileBusy(button, t("tools_deleting"), () => deleteTool(tool)).then(
        () => actions.changed(),
        (error: unknown) => fill(slot, problem(error)),
      );
    };
    fill(slot, confirmInline({ question, yes: t("tools_delete"), testId: "tool-delete", confirmed, kept }));
    slot.querySelector("button")?.focus();
  });
  return h("div", { class: "buttons tool-buttons" }, remove, edit, run);
}

function line(term: string, ...description: readonly Child[]): [HTMLElement, HTMLElement] {
  return [h("dt", {}, term), h("dd", {}, ...description)];
}

/** Enough to recognise a tool by; the rest is below. */
function firstSentence(description: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description;
}
