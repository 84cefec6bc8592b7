// A tool's arguments as rows of a form, and as JSON Schema. What a row cannot express stays as it is.

import type { Schema } from "../popup/json/schema";

export const ARGUMENT_TYPES = ["text", "number", "integer", "boolean", "choice", "texts", "numbers", "custom"] as const;
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];

export interface Argument {
  name: string;
  type: ArgumentType;
  isRequired: boolean;
  description: string;
  /** The texts to choose from. */
  options: string[];
  /** As typed; empty if there is none. */
  preset: string;
  /** The schema of a custom argument, and of others what no input shows. */
  rest: Keywords;
}

type Keywords = Record<string, unknown>;

export interface Arguments {
  rows: Argument[];
  /** Keywords of the schema that no row shows. */
  rest: Keywords;
}

export const newArgument = (name: string): Argument => ({
  ...{ name, type: "text", isRequired: true, description: "", options: [], preset: "", rest: {} },
});

/** Nothing if the schema is not one of an object with properties. */
export function argumentsOf(schema: Schema): Arguments | undefined {
  if (typeof schema === "boolean") return undefined;
  const { type, properties, required, ...rest } = schema;
  if (type !== undefined && type !== "object") return undefined;
  if (properties !== undefined && !isKeywords(properties)) return undefined;
  if (required !== undefined && !Array.isArray(required)) return undefined;
  const names = (required ?? []) as unknown[];
  const known = Object.entries(properties ?? {});
  // A required name without a property would be lost.
  if (names.some((name) => !known.some(([other]) => other === name))) return undefined;
  return { rows: known.map(([name, property]) => rowOf(name, property, names.includes(name))), rest };
}

function rowOf(name: string, property: unknown, isRequired: boolean): Argument {
  if (!isKeywords(property)) return { ...newArgument(name), isRequired, type: "custom", rest: { schema: property } };
  const { type, enum: options, items, description, default: preset, ...rest } = property;
  const row = { ...newArgument(name), isRequired, description: text(description) };
  const custom = { ...row, description: "", type: "custom" as const, rest: { schema: property } };
  if (description !== undefined && typeof description !== "string") return custom;
  const kind = kindOf(type, options, items);
  if (kind === undefined) return custom;
  const typed = presetText(kind, preset);
  if (typed === undefined) return custom;
  return { ...row, type: kind, options: kind === "choice" ? (options as string[]) : [], preset: typed, rest };
}

function kindOf(type: unknown, options: unknown, items: unknown): ArgumentType | undefined {
  if (options !== undefined) {
    const isTexts = Array.isArray(options) && options.every((option) => typeof option === "string");
    return isTexts && (type === "string" || type === undefined) && items === undefined ? "choice" : undefined;
  }
  if (type === "array") {
    if (!isKeywords(items) || Object.keys(items).length !== 1) return undefined;
    return items["type"] === "string" ? "texts" : items["type"] === "number" ? "numbers" : undefined;
  }
  if (items !== undefined) return undefined;
  const KINDS: Record<string, ArgumentType> = { string: "text", number: "number", integer: "integer", boolean: "boolean" };
  return typeof type === "string" ? KINDS[type] : undefined;
}

/** What is typed for a default; nothing if it cannot be typed. */
function presetText(kind: ArgumentType, preset: unknown): string | undefined {
  if (preset === undefined) return "";
  if (kind === "text" || kind === "choice") return typeof preset === "string" && preset !== "" ? preset : undefined;
  if (kind === "boolean") return typeof preset === "boolean" ? String(preset) : undefined;
  return (kind === "number" || kind === "integer") && typeof preset === "number" ? String(preset) : undefined;
}

export function schemaOf({ rows, rest }: Arguments): Exclude<Schema, boolean> {
  const required = rows.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(rows.map((row) => [row.name, propertyOf(row)])),
    ...(required.length > 0 ? { required } : {}),
    ...rest,
  };
}

function propertyOf({ type, description, options, preset, rest }: Argument): unknown {
  if (type === "custom") return "schema" in rest ? rest["schema"] : {};
  const about = description === "" ? {} : { description };
  const initial = preset === "" ? {} : { default: presetOf(type, preset) };
  switch (type) {
    case "text":
      return { type: "string", ...about, ...initial, ...rest };
    case "choice":
      return { type: "string", enum: options, ...about, ...initial, ...rest };
    case "texts":
      return { type: "array", items: { type: "string" }, ...about, ...rest };
    case "numbers":
      return { type: "array", items: { type: "number" }, ...about, ...rest };
    default:
      return { type, ...about, ...initial, ...rest };
  }
}

function presetOf(type: ArgumentType, typed: string): unknown {
  if (type === "boolean") return typed === "true";
  // Not a number: left as typed, so that the core says what is wrong.
  const number = Number(typed.replace(",", "."));
  return (type === "number" || type === "integer") && Number.isFinite(number) ? number : typed;
}

/**
 * The rows after the templates changed from placeholders `before` to `names`. Rows that no template named stay; one that
 * was renamed keeps what was typed for it.
 */
export function withPlaceholders(rows: readonly Argument[], names: readonly string[], before: readonly string[]): Argument[] {
  const isGone = ({ name }: Argument): boolean => before.includes(name) && !names.includes(name);
  const added = names.filter((name) => !rows.some((row) => row.name === name));
  const [gone, ...others] = rows.filter(isGone);
  if (gone && others.length === 0 && added.length === 1) {
    return rows.map((row) => (row === gone ? { ...row, name: added[0] ?? row.name } : row));
  }
  return [...rows.filter((row) => !isGone(row)), ...added.map(newArgument)];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value);
