// The result of a tool: a table, a text or a tree.

import { h } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";
import { cellOf, shapeOf } from "./shape";
import { valueTree } from "./tree";

const MAX_ROWS = 100;

export function valueView(value: unknown): HTMLElement {
  const shape = shapeOf(value);
  switch (shape.kind) {
    case "text":
      return h("pre", { class: "value-text", "data-testid": "value-text" }, plain(shape.text));
    case "table":
      return table(shape.columns, shape.rows);
    case "tree":
      return valueTree(value);
  }
}

function table(columns: readonly string[], rows: readonly Record<string, unknown>[]): HTMLElement {
  const hidden = rows.length - MAX_ROWS;
  return h(
    "div",
    { class: "value-table", tabindex: 0, role: "region", "aria-label": t("tools_value_table"), "data-testid": "value-table" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, plain(column))))),
      h(
        "tbody",
        {},
        ...rows.slice(0, MAX_ROWS).map((row) =>
          h("tr", {}, ...columns.map((column) => h("td", { "data-kind": typeof row[column] }, plain(cellOf(row[column]))))),
        ),
      ),
    ),
    hidden > 0 && h("p", { class: "muted small" }, t("tools_value_rows_more", hidden)),
  );
}
