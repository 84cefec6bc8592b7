// A form's fields from a JSON Schema. What a form cannot express is a field for JSON text.

export type Schema = boolean | { readonly [keyword: string]: unknown };

interface Common {
  readonly label: string;
  readonly description: string;
  /** From the schema; typed into the form at the start. */
  readonly preset?: unknown;
}

export interface TextField extends Common {
  readonly kind: "text";
  readonly isLong: boolean;
  readonly isSecret: boolean;
  /** `email`, `uri`, `date`, `date-time` and others. */
  readonly format: string;
}

export interface NumberField extends Common {
  readonly kind: "number";
  readonly isWhole: boolean;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

export interface BooleanField extends Common {
  readonly kind: "boolean";
}

export interface ChoiceField extends Common {
  readonly kind: "choice";
  readonly options: readonly { readonly value: unknown; readonly label: string }[];
}

export interface ListField extends Common {
  readonly kind: "list";
  readonly item: Field;
}

export interface ObjectField extends Common {
  readonly kind: "object";
  readonly members: readonly Member[];
}

/** Anything else, typed as JSON. */
export interface JsonField extends Common {
  readonly kind: "json";
}

export type Field = TextField | NumberField | BooleanField | ChoiceField | ListField | ObjectField | JsonField;

export interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: Field;
}

/** Deeper objects are typed as JSON. Also ends schemas that contain themselves. */
const MAX_DEPTH = 5;
/** More options are typed. */
const MAX_OPTIONS = 200;
/** Texts that may be longer than a line. */
const LONG_TEXT = 200;

/** The fields of a tool's arguments. */
export function formOf(schema: Schema): Field {
  const field = fieldOf(schema, "", schema, 0);
  // Arguments are always an object; without properties there is nothing to ask.
  if (field.kind === "json" && isPlainObject(schema)) return { ...field, kind: "object", members: [] };
  return field;
}

/** An object schema that says nothing about its properties. */
function isPlainObject(schema: Schema): boolean {
  if (typeof schema === "boolean") return schema;
  const { type, properties, additionalProperties, patternProperties } = schema;
  const isOpen = typeof additionalProperties === "object" || patternProperties !== undefined;
  const combines = ["$ref", "allOf", "anyOf", "oneOf", "if", "minProperties", "required"].some((word) => word in schema);
  return (type === undefined || type === "object") && properties === undefined && !isOpen && !combines;
}

function fieldOf(schema: unknown, name: string, root: Schema, depth: number): Field {
  const resolved = resolve(schema, root);
  if (resolved === undefined) return { kind: "json", label: name, description: "" };
  const common: Common = {
    label: text(resolved["title"]) || name,
    description: text(resolved["description"]),
    ...("default" in resolved ? { preset: resolved["default"] } : {}),
  };
  const options = optionsOf(resolved);
  if (options && options.length <= MAX_OPTIONS) return { ...common, kind: "choice", options };
  switch (typeOf(resolved)) {
    case "string":
      return { ...common, kind: "text", isLong: isLong(resolved), isSecret: resolved["format"] === "password", format: text(resolved["format"]) };
    case "integer":
    case "number":
      return {
        ...common,
        kind: "number",
        isWhole: typeOf(resolved) === "integer",
        least: number(resolved["minimum"]),
        most: number(resolved["maximum"]),
      };
    case "boolean":
      return { ...common, kind: "boolean" };
    case "array":
      return listOf(resolved, common, root, depth);
    case "object":
      return objectOf(resolved, common, root, depth);
    default:
      return { ...common, kind: "json" };
  }
}

function listOf(schema: Keywords, common: Common, root: Schema, depth: number): Field {
  const { items, prefixItems } = schema;
  if (prefixItems !== undefined || items === undefined || Array.isArray(items) || depth >= MAX_DEPTH) {
    return { ...common, kind: "json" };
  }
  const item = fieldOf(items, "", root, depth + 1);
  return item.kind === "json" ? { ...common, kind: "json" } : { ...common, kind: "list", item };
}

function objectOf(schema: Keywords, common: Common, root: Schema, depth: number): Field {
  const { properties, required } = schema;
  const isSimple = !["allOf", "anyOf", "oneOf", "patternProperties"].some((word) => word in schema);
  if (!isKeywords(properties) || !isSimple || depth >= MAX_DEPTH) return { ...common, kind: "json" };
  const names = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, property]): Member => {
    return { name, isRequired: names.includes(name), field: fieldOf(property, name, root, depth + 1) };
  });
  // What must be given comes first: the order in which a schema was written is not kept.
  return { ...common, kind: "object", members: members.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)) };
}

/** `enum` (with `enumNames` of MCP), `const`, or a `oneOf` or `anyOf` of constants with titles. */
function optionsOf(schema: Keywords): ChoiceField["options"] | undefined {
  const { enum: values, enumNames, const: only, oneOf, anyOf } = schema;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  if (Array.isArray(values)) return values.map((value, i) => ({ value, label: text(names[i]) || labelOf(value) }));
  if (only !== undefined) return [{ value: only, label: labelOf(only) }];
  const constants = oneOf ?? anyOf;
  if (!Array.isArray(constants) || !constants.every((one) => isKeywords(one) && "const" in one)) return undefined;
  return (constants as Keywords[]).map((one) => ({ value: one["const"], label: text(one["title"]) || labelOf(one["const"]) }));
}

const labelOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** One type, or one type and null. */
function typeOf({ type, properties }: Keywords): string | undefined {
  if (type === undefined) return properties === undefined ? undefined : "object";
  if (!Array.isArray(type)) return text(type);
  const others = type.filter((one) => one !== "null");
  return others.length === 1 ? text(others[0]) : undefined;
}

function isLong({ maxLength, format, contentMediaType }: Keywords): boolean {
  return format === "textarea" || contentMediaType !== undefined || (number(maxLength) ?? 0) > LONG_TEXT;
}

type Keywords = Record<string, unknown>;

/** Follows references inside the schema. */
function resolve(schema: unknown, root: Schema, hops = 0): Keywords | undefined {
  if (!isKeywords(schema)) return undefined;
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  if (!reference.startsWith("#") || hops >= MAX_DEPTH) return undefined;
  const target = resolve(lookUp(root, reference.slice(1)), root, hops + 1);
  const { $ref: _, ...own } = schema;
  return target && { ...target, ...own };
}

function lookUp(root: unknown, pointer: string): unknown {
  let at = root;
  for (const part of pointer.split("/").slice(1)) {
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isKeywords(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
