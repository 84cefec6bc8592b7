// A JSON Schema that a sample fits. Only types and names: a sample does not show which values are possible.

import type { Schema } from "../popup/json/schema";

/** Deeper values are left open. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 50;

export function schemaOfSample(value: unknown, depth = 0): Exclude<Schema, boolean> {
  if (depth >= MAX_DEPTH) return {};
  if (value === null) return {};
  if (Array.isArray(value)) {
    const entries = value.slice(0, MAX_ENTRIES).map((entry) => schemaOfSample(entry, depth + 1));
    const isUniform = new Set(entries.map((entry) => entry["type"])).size === 1;
    return { type: "array", ...(isUniform ? { items: entries.reduce(common) } : {}) };
  }
  switch (typeof value) {
    case "object":
      return ofObject(value as object, depth);
    case "string":
    case "boolean":
    case "number":
      return { type: typeof value };
    default:
      return {};
  }
}

function ofObject(value: object, depth: number): Exclude<Schema, boolean> {
  const properties = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, schemaOfSample(member, depth + 1)]),
  );
  return { type: "object", properties, required: Object.keys(properties) };
}

/** What both entries of a list fit. */
function common(a: Exclude<Schema, boolean>, b: Exclude<Schema, boolean>): Exclude<Schema, boolean> {
  if (a["type"] !== b["type"]) return {};
  if (a["type"] !== "object") return JSON.stringify(a) === JSON.stringify(b) ? a : { type: a["type"] };
  const left = a["properties"] as Record<string, Exclude<Schema, boolean>>;
  const right = b["properties"] as Record<string, Exclude<Schema, boolean>>;
  const names = Object.keys(left).filter((name) => Object.hasOwn(right, name));
  const properties = Object.fromEntries(names.map((name) => [name, common(left[name] ?? {}, right[name] ?? {})]));
  const requiredOf = (schema: Exclude<Schema, boolean>): unknown[] => (schema["required"] as unknown[] | undefined) ?? [];
  return { type: "object", properties, required: names.filter((name) => requiredOf(a).includes(name) && requiredOf(b).includes(name)) };
}
