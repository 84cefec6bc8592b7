// A table that scrolls by itself, with its first rows.

import { h } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";

interface TableParts {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The table's accessible name. */
  readonly label: string;
  /** Whether the first cell of a row names it. */
  readonly headsRows?: boolean;
  readonly testId?: string;
}

const MAX_ROWS = 200;

export function tableView({ columns, rows, label, headsRows = false, testId }: TableParts): HTMLElement {
  const hidden = rows.length - MAX_ROWS;
  const cell = (text: string, place: number): HTMLElement =>
    headsRows && place === 0 ? h("th", { scope: "row" }, plain(text)) : h("td", {}, plain(text));
  return h(
    "div",
    // It scrolls, so the keyboard reaches it.
    { class: "value-table", tabindex: 0, role: "region", "aria-label": label, "data-testid": testId },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, plain(column))))),
      h("tbody", {}, ...rows.slice(0, MAX_ROWS).map((row) => h("tr", {}, ...columns.map((_, i) => cell(row[i] ?? "", i))))),
    ),
    hidden > 0 && h("p", { class: "muted small" }, t("tools_value_rows_more", hidden)),
  );
}
