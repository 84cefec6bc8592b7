// What changed between two values, side by side: the words that are gone, and those that came.

import type { McpChange } from "../../../generated/McpChange";
import { h } from "../element";
import { t, type MessageKey } from "../i18n";
import { plain } from "../plain";

/** A part of a text. */
export interface Piece {
  readonly text: string;
  /** Whether the other side has it too. */
  readonly isCommon: boolean;
}

export interface Sides {
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
}

/** Longer texts are compared line by line, and the longest as a whole: comparing takes time by the square. */
const MAX_PARTS = 1_500;

/** What of two texts is the same. Words, and spaces between them, are compared in order. */
export function differenceOf(before: string, after: string): Sides {
  const byWords = [before, after].map((text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);
  const byLines = [before, after].map((text) => text.match(/.*\n|.+$/g) ?? []);
  const fits = ([a = [], b = []]: readonly string[][]): boolean => a.length <= MAX_PARTS && b.length <= MAX_PARTS;
  const [a = [], b = []] = fits(byWords) ? byWords : fits(byLines) ? byLines : [[before], [after]];
  const common = commonParts(a, b);
  return {
    before: joined(a, new Set(common.map(([i]) => i))),
    after: joined(b, new Set(common.map(([, j]) => j))),
  };
}

/** The places of a longest common subsequence in both lists. */
function commonParts(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const places: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) places.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return places;
}

/** Neighbours of one kind as one piece. */
function joined(parts: readonly string[], common: ReadonlySet<number>): Piece[] {
  const pieces: Piece[] = [];
  parts.forEach((text, i) => {
    const isCommon = common.has(i);
    const last = pieces.at(-1);
    if (last?.isCommon === isCommon) pieces[pieces.length - 1] = { text: last.text + text, isCommon };
    else pieces.push({ text, isCommon });
  });
  return pieces;
}

/** A value as it is compared: a text as it is, anything else as JSON with its names in order. */
export function comparable(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(sorted(value), null, 2);
}

/** A server may write the same schema in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

const FIELDS: ReadonlyMap<string, MessageKey> = new Map([
  ["title", "mcp_field_title"],
  ["description", "mcp_field_description"],
  ["inputSchema", "mcp_field_input"],
  ["outputSchema", "mcp_field_output"],
  ["annotations", "mcp_field_annotations"],
]);

/** The changes of a definition, each with both sides. */
export function differenceView(changes: readonly McpChange[]): HTMLElement {
  return h("div", { class: "difference", "data-testid": "mcp-difference" }, ...changes.map(change));
}

function change({ field, before, after }: McpChange): HTMLElement {
  const key = FIELDS.get(field);
  const sides = differenceOf(comparable(before), comparable(after));
  return h(
    "section",
    { class: "difference-part", "aria-label": key === undefined ? plain(field) : t(key) },
    h("h4", {}, key === undefined ? plain(field) : t(key)),
    h(
      "div",
      { class: "difference-sides" },
      side(t("mcp_before"), sides.before, "del"),
      side(t("mcp_after"), sides.after, "ins"),
    ),
  );
}

function side(words: string, pieces: readonly Piece[], tag: "del" | "ins"): HTMLElement {
  const body = pieces.map(({ text, isCommon }) => (isCommon ? plain(text) : h(tag, {}, plain(text))));
  return h(
    "div",
    { class: "difference-side" },
    h("span", { class: "detail-label" }, words),
    h("pre", {}, ...(body.length === 0 ? [h("span", { class: "muted" }, t("mcp_nothing"))] : body)),
  );
}
