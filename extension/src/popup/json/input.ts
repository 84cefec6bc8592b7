// What was typed into a form, and the value that it means.

import { pointer, type Segment } from "./path";
import type { Field } from "./schema";

/** Texts of inputs and selects, ticks, entries of lists and members of objects. */
export type Input = string | readonly Input[] | { readonly [name: string]: Input };

export type InputError = "required" | "not_a_number" | "not_whole" | "not_json";

export interface Misfit {
  readonly pointer: string;
  readonly error: InputError;
}

export interface Reading {
  /** Absent if nothing was typed. */
  readonly value?: unknown;
  readonly misfits: readonly Misfit[];
}

const NOTHING: Reading = { misfits: [] };
const wrong = (at: readonly Segment[], error: InputError): Reading => ({ misfits: [{ pointer: pointer(at), error }] });
const right = (value: unknown): Reading => ({ value, misfits: [] });

/** The value of what was typed. An empty optional field is absent. */
export function read(field: Field, input: Input, isRequired: boolean, at: readonly Segment[] = []): Reading {
  switch (field.kind) {
    case "object":
      return readObject(field, input, isRequired, at);
    case "list":
      return readList(field, input, isRequired, at);
    default: {
      const typed = typeof input === "string" ? input : "";
      if (typed.trim() === "") return isRequired ? wrong(at, "required") : NOTHING;
      return readOne(field, typed, at);
    }
  }
}

function readOne(field: Field, typed: string, at: readonly Segment[]): Reading {
  switch (field.kind) {
    case "text":
      return right(typed);
    case "number":
      return readNumber(typed.trim(), field.isWhole, at);
    case "boolean":
      return right(typed === "true");
    case "choice": {
      const option = field.options[Number(typed)];
      return option ? right(option.value) : wrong(at, "required");
    }
    default:
      try {
        return right(JSON.parse(typed) as unknown);
      } catch {
        return wrong(at, "not_json");
      }
  }
}

function readNumber(typed: string, isWhole: boolean, at: readonly Segment[]): Reading {
  // Both decimal signs are in use.
  const value = Number(typed.replace(",", "."));
  if (!Number.isFinite(value)) return wrong(at, "not_a_number");
  return isWhole && !Number.isInteger(value) ? wrong(at, "not_whole") : right(value);
}

function readObject(field: Extract<Field, { kind: "object" }>, input: Input, isRequired: boolean, at: readonly Segment[]): Reading {
  const typed = typeof input === "object" && !Array.isArray(input) ? (input as Record<string, Input>) : {};
  // Nothing is required of an optional object that is left empty.
  if (!isRequired && isBlank(typed)) return NOTHING;
  const value: Record<string, unknown> = {};
  const misfits: Misfit[] = [];
  for (const { name, isRequired, field: member } of field.members) {
    const reading = read(member, typed[name] ?? "", isRequired, [...at, name]);
    misfits.push(...reading.misfits);
    if ("value" in reading) Object.defineProperty(value, name, { value: reading.value, enumerable: true });
  }
  return { value, misfits };
}

function readList(field: Extract<Field, { kind: "list" }>, input: Input, isRequired: boolean, at: readonly Segment[]): Reading {
  const typed = Array.isArray(input) ? (input as readonly Input[]) : [];
  if (typed.length === 0) return isRequired ? right([]) : NOTHING;
  const readings = typed.map((entry, i) => read(field.item, entry, true, [...at, i]));
  return { value: readings.map(({ value }) => value), misfits: readings.flatMap(({ misfits }) => misfits) };
}

function isBlank(input: Input): boolean {
  if (typeof input === "string") return input.trim() === "";
  return Array.isArray(input) ? input.length === 0 : Object.values(input).every(isBlank);
}

/** What to type for a value: the reverse of `read`. */
export function inputOf(field: Field, value: unknown): Input {
  if (value === undefined) return startOf(field);
  switch (field.kind) {
    case "object": {
      const members = isObject(value) ? value : {};
      return Object.fromEntries(field.members.map(({ name, field }) => [name, inputOf(field, members[name])]));
    }
    case "list":
      return Array.isArray(value) ? value.map((entry) => inputOf(field.item, entry)) : [];
    case "choice": {
      const wanted = JSON.stringify(value);
      const found = field.options.findIndex((option) => JSON.stringify(option.value) === wanted);
      return found === -1 ? "" : String(found);
    }
    case "json":
      return JSON.stringify(value, null, 2);
    default:
      return value === null ? "" : String(value);
  }
}

/** What a form starts with: the defaults of the schema. */
function startOf(field: Field): Input {
  if (field.preset !== undefined) return inputOf(field, field.preset);
  if (field.kind === "object") {
    return Object.fromEntries(field.members.map(({ name, field }) => [name, startOf(field)]));
  }
  return field.kind === "list" ? [] : "";
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
