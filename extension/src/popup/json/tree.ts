// A JSON value as a tree that unfolds. Its values can be picked.

import { h, type Child } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";
import { jsonPath, type Segment } from "./path";

/** Called with the place of the picked value. */
export type Pick = (path: readonly Segment[]) => void;

/** What is unfolded at the start. */
const OPEN_DEPTH = 2;
const MAX_SHOWN = 100;
const MAX_TEXT = 300;

export function valueTree(value: unknown, pick?: Pick): HTMLElement {
  return h("div", { class: "tree", "data-testid": "value-tree" }, node(undefined, value, [], pick));
}

function node(name: Segment | undefined, value: unknown, path: readonly Segment[], pick: Pick | undefined): HTMLElement {
  const label: Child = name !== undefined && h("span", { class: "tree-name" }, plain(String(name)), ": ");
  if (typeof value !== "object" || value === null) return h("div", { class: "tree-leaf" }, label, leaf(value, path, pick));
  const members: [Segment, unknown][] = Array.isArray(value) ? value.map((entry, i) => [i, entry]) : Object.entries(value);
  const body = h("div", { class: "tree-members" });
  const details = h(
    "details",
    { open: path.length < OPEN_DEPTH },
    h("summary", {}, label, h("span", { class: "muted" }, sizeOf(value, members.length)), pick && picker(path, pick)),
    body,
  );
  // Made when unfolded: an answer may have thousands of values.
  const show = (): void => {
    if (details.open && !body.hasChildNodes()) more(body, members, 0, path, pick);
  };
  details.addEventListener("toggle", show);
  show();
  return details;
}

function more(body: HTMLElement, members: readonly [Segment, unknown][], from: number, path: readonly Segment[], pick?: Pick): void {
  const shown = members.slice(from, from + MAX_SHOWN);
  body.append(...shown.map(([name, value]) => node(name, value, [...path, name], pick)));
  const left = members.length - from - shown.length;
  if (left <= 0) return;
  const button = h("button", { type: "button", class: "link" }, t("tools_tree_more", left));
  button.addEventListener("click", () => {
    button.remove();
    more(body, members, from + MAX_SHOWN, path, pick);
  });
  body.append(button);
}

function sizeOf(value: object, size: number): string {
  return Array.isArray(value) ? `[${size}]` : `{${size}}`;
}

function leaf(value: unknown, path: readonly Segment[], pick: Pick | undefined): HTMLElement {
  const whole = JSON.stringify(value) ?? "";
  const text = plain(whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT)}…` : whole);
  const kind = value === null ? "null" : typeof value;
  if (!pick) return h("span", { class: "tree-value", "data-kind": kind }, text);
  return h(
    "button",
    {
      type: "button",
      class: "tree-value",
      "data-kind": kind,
      "data-path": jsonPath(path),
      title: t("tools_tree_pick", jsonPath(path)),
      on: { click: () => pick(path) },
    },
    text,
  );
}

/** Picks a whole object or list. */
function picker(path: readonly Segment[], pick: Pick): HTMLElement {
  const words = t("tools_tree_pick", jsonPath(path));
  const click = (event: Event): void => {
    // The press does not fold the tree.
    event.preventDefault();
    pick(path);
  };
  return h("button", { type: "button", class: "link tree-pick", "aria-label": words, title: words, on: { click } }, t("tools_tree_pick_all"));
}
