// Bounds on arguments: which ones a call suggests, and how each reads.

import type { ArgumentBound } from "../../generated/ArgumentBound";
import type { BoundRule } from "../../generated/BoundRule";
import { t } from "./i18n";
import { plain } from "./plain";

type Scalar = string | number | boolean | null;

/** More than this is not looked through by a person who answers a prompt. */
const MOST_OFFERED = 8;
const MOST_VALUES = 5;
const LONGEST_TEXT = 80;
const DEEPEST = 4;
/** Every element of an array. */
const EVERY = "*";
/** What JSON takes as a number: the core compares such texts as numbers. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** A permission for calls like this one: amounts up to this call's, and the same values. */
export function boundsLike(params: Record<string, unknown>): ArgumentBound[] {
  const places: string[][] = [];
  collect(params, [], places);
  const bounds = places.flatMap((place) => {
    const values = valuesAt(params, place);
    const rule = values && ruleLike([...new Set(values)]);
    return rule ? [{ path: place.map((segment) => `/${segment}`).join(""), rule }] : [];
  });
  const unique = new Map(bounds.map((bound) => [bound.path, bound]));
  return [...unique.values()].slice(0, MOST_OFFERED);
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Where values are. A field that is named like the sign for all elements has no place. */
function collect(value: unknown, place: readonly string[], places: string[][]): void {
  if (typeof value !== "object" || value === null) {
    places.push([...place]);
  } else if (place.length < DEEPEST) {
    const fields = Array.isArray(value) ? value.map((item: unknown) => [EVERY, item] as const) : named(value);
    for (const [segment, field] of fields) collect(field, [...place, segment], places);
  }
}

const named = (value: object): (readonly [string, unknown])[] =>
  Object.entries(value).flatMap(([name, field]) => (name === EVERY ? [] : [[escaped(name), field] as const]));

/** Every value at a place; `undefined` if one of them is missing or no value: the bound would not hold for this call. */
function valuesAt(value: unknown, [segment, ...rest]: readonly string[]): Scalar[] | undefined {
  if (segment === undefined) return isScalar(value) ? [value] : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== (segment === EVERY)) return undefined;
  if (!Array.isArray(value)) return valuesAt(named(value).find(([name]) => name === segment)?.[1], rest);
  const found = value.map((item: unknown) => valuesAt(item, rest));
  return found.every((values) => values !== undefined) ? found.flat() : undefined;
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

function ruleLike(values: readonly Scalar[]): BoundRule | undefined {
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length === values.length) {
    // A larger integer is not the one that was sent: pages cannot hold it.
    if (numbers.some((value) => Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
    return { kind: "at_most", value: String(Math.max(...numbers)) };
  }
  const [first] = values;
  if (values.length === 1 && typeof first === "string" && DECIMAL.test(first)) return { kind: "at_most", value: first };
  const long = values.some((value) => typeof value === "string" && value.length > LONGEST_TEXT);
  return long || values.length > MOST_VALUES ? undefined : { kind: "one_of", values: [...values] };
}

/** "city = Berlin", "amount is at most 5". */
export function boundWords({ path, rule }: ArgumentBound): string {
  const place = placeWords(path);
  switch (rule.kind) {
    case "one_of": {
      const values = rule.values.map((value) => plain(valueWords(value))).join(", ");
      return rule.values.length === 1 ? t("common_bound_equals", place, values) : t("common_bound_one_of", place, values);
    }
    case "at_most":
      return t("common_bound_at_most", place, plain(rule.value));
    case "at_least":
      return t("common_bound_at_least", place, plain(rule.value));
    case "begins_with":
      return t("common_bound_begins", place, plain(rule.text));
    case "absent":
      return t("common_bound_absent", place);
  }
}

function placeWords(path: string): string {
  const names = path.split("/").filter((segment) => segment !== "" && segment !== EVERY);
  return plain(names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")).join(" › "));
}

/** A text that is empty, or reads like another kind of value, is quoted. */
function valueWords(value: Scalar): string {
  if (typeof value !== "string") return String(value);
  return value === "" || value.trim() !== value || /^(true|false|null)$|^-?\d/.test(value) ? JSON.stringify(value) : value;
}
