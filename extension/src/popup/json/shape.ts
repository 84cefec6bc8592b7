// How a value is shown: as a text, as a table or as a tree.

export type Shape =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "table"; readonly columns: readonly string[]; readonly rows: readonly Record<string, unknown>[] }
  | { readonly kind: "tree" };

/** More columns cannot be read beside each other. */
const MAX_COLUMNS = 8;

export function shapeOf(value: unknown): Shape {
  if (typeof value === "string") return { kind: "text", text: value };
  if (value === null || typeof value !== "object") return { kind: "text", text: String(value) };
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRow)) return { kind: "tree" };
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
  return columns.length === 0 || columns.length > MAX_COLUMNS ? { kind: "tree" } : { kind: "table", columns, rows: value };
}

/** A cell's text. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
