// What a component for tool messages gets, and how it reads an input that an agent wrote.

import type { Schema } from "../json/schema";
import { plain } from "../plain";

/** Where the call of a message is. */
export type Phase =
  /** The agent is still writing the arguments. */
  | "writing"
  | "running"
  /** The person gives the result. */
  | "asking"
  /** A program outside gives the result. */
  | "waiting"
  | "done"
  | "failed"
  | "expired";

export type Fields = Readonly<Record<string, unknown>>;

/** A call, as a component shows it. */
export interface Shown {
  readonly phase: Phase;
  /** The arguments; only a part of them in the phase `writing`. */
  readonly input: Fields;
  /** The result; absent before there is one. */
  readonly output?: unknown;
  readonly resultSchema?: Schema;
  /** Submits a result. Present while one is wanted. */
  readonly submit?: (result: unknown) => Promise<void>;
}

/** Shows a call. Nothing for an input of another shape: then the fallback shows it. */
export type Component = (shown: Shown) => HTMLElement | undefined;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The first of these fields that is a text with something in it, safe to display. */
export function textIn(input: Fields, ...names: readonly string[]): string | undefined {
  const found = names.map((name) => input[name]).find((value) => typeof value === "string" && value.trim() !== "");
  return found === undefined ? undefined : plain(found as string);
}

/** The first of these fields that is a list. */
export function listIn(input: Fields, ...names: readonly string[]): readonly unknown[] | undefined {
  return names.map((name) => input[name]).find((value): value is unknown[] => Array.isArray(value));
}

/** The first of these fields that is a finite number; texts of numbers count. */
export function numberIn(input: Fields, ...names: readonly string[]): number | undefined {
  return names.map((name) => numberOf(input[name])).find((value) => value !== undefined);
}

export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** The fields that a component does not show by itself. */
export function restOf(input: Fields, shown: readonly string[]): Fields | undefined {
  const rest = Object.entries(input).filter(([name]) => !shown.includes(name));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
