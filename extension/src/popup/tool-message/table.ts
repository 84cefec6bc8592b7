// A table: `{title?, columns?, rows}` with rows as objects or as lists.

import { h } from "../element";
import { t } from "../i18n";
import { cellOf } from "../json/shape";
import { isFields, listIn, textIn, type Component, type Fields } from "./component";
import { tableView } from "./table-view";

export interface Table {
  readonly title: string | undefined;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Column {
  readonly key: string;
  readonly label: string;
}

const MAX_COLUMNS = 40;

/** Nothing if there are no rows of objects or lists. */
export function tableOf(input: Fields): Table | undefined {
  const rows = listIn(input, "rows", "data", "items");
  if (!rows || !rows.every((row) => isFields(row) || Array.isArray(row))) return undefined;
  const named = listIn(input, "columns", "headers", "fields");
  const columns = (named ? named.flatMap(columnOf) : columnsOf(rows)).slice(0, MAX_COLUMNS);
  if (columns.length === 0) return undefined;
  return {
    title: textIn(input, "title", "caption"),
    columns: columns.map(({ label }) => label),
    rows: rows.map((row) => columns.map(({ key }, i) => cellOf(isFields(row) ? row[key] : (row as unknown[])[i]))),
  };
}

function columnOf(column: unknown): Column[] {
  if (typeof column === "string") return [{ key: column, label: column }];
  if (!isFields(column)) return [];
  const key = ["key", "field", "name", "id", "accessor"].map((name) => column[name]).find((value) => typeof value === "string") as string | undefined;
  const label = textIn(column, "label", "title", "header") ?? key;
  return label === undefined ? [] : [{ key: key ?? label, label }];
}

/** The names of the rows' fields; of lists, as many numbers as the longest has. */
function columnsOf(rows: readonly unknown[]): Column[] {
  const keys = new Set(rows.filter(isFields).flatMap((row) => Object.keys(row)));
  if (keys.size > 0) return [...keys].map((key) => ({ key, label: key }));
  const length = Math.max(0, ...rows.map((row) => (row as unknown[]).length));
  return Array.from({ length }, (_, i) => ({ key: String(i), label: String(i + 1) }));
}

export const table: Component = ({ input }) => {
  const shown = tableOf(input);
  if (!shown) return undefined;
  const { title, columns, rows } = shown;
  return h(
    "figure",
    { class: "table-figure" },
    title !== undefined && h("figcaption", {}, title),
    tableView({ columns, rows, label: title ?? t("tools_value_table"), testId: "tool-table" }),
  );
};
