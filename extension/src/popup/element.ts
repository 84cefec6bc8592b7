// The only way in which pages create elements. Text becomes text nodes, so an agent's text is never markup.

type Attribute = string | number | boolean | undefined;
type Handlers = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
export type Child = Node | string | undefined | false;

export interface Attributes {
  readonly on?: Handlers;
  readonly [name: string]: Attribute | Handlers;
}

/** `h("button", { class: "primary", on: { click: send } }, "Send")` */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  for (const [name, handler] of Object.entries(attributes.on ?? {})) {
    element.addEventListener(name, handler as EventListener);
  }
  element.append(...present(children));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for a part of a drawing: `svg("rect", { x: 1, y: 2, width: 3, height: 4 })`. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

/** Replaces the content of an element. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...present(children));
}

function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child): child is Node | string => child !== undefined && child !== false);
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || typeof value === "object") continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

const ICONS = {
  agent: "M4 5.5h16v11H10l-4 3.5v-3.5H4z",
  wallet: "M4 8.5V17a2 2 0 0 0 2 2h12.5V8.5zM4 8.5a2 2 0 0 1 2-2.3l11-1.7v4M15 13.8h1",
  contacts: "M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 19.5c.6-3.4 3.3-5.2 7-5.2s6.4 1.8 7 5.2",
  tools: "M14.5 5.2a4.3 4.3 0 0 0-4.9 5.8L4 16.6a2 2 0 1 0 2.9 2.9l5.6-5.6a4.3 4.3 0 0 0 5.8-4.9l-2.6 2.5-2.8-.7-.7-2.8z",
  activity: "M3.5 12h4l3-7 4 14 2.7-7h3.3",
  settings: "M4 7h9m4 0h3M4 17h3m4 0h9M15 4.8v4.4M9 14.8v4.4",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6.5 6.5l11 11m0-11l-11 11",
  pen: "M4.5 19.5l4-1L19.5 7.5l-3-3L5.5 15.5zM14 7l3 3",
  send: "M12 19V5.5m-6 6l6-6 6 6",
  plus: "M12 5.5v13M5.5 12h13",
  copy: "M9 9h10.5v10.5H9zM6 15H4.5V4.5H15V6",
  bin: "M4.5 7h15M10 4.5h4M6.5 7l1 12.5h9l1-12.5M10.5 10.5v5.5m3-5.5v5.5",
  expand: "M13.5 4.5h6v6m0-6l-8 8M10.5 6h-5v12.5H18v-5",
  down: "M6.5 10l5.5 5.5 5.5-5.5",
  eye: "M2.5 12c2.2-4 5.4-6 9.5-6s7.3 2 9.5 6c-2.2 4-5.4 6-9.5 6s-7.3-2-9.5-6zM12 14.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2z",
  lock: "M6 10.5h12v9H6zM8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5",
  unlock: "M6 10.5h12v9H6zM8.5 10.5V8a3.5 3.5 0 0 1 6.7-1.4",
  key: "M14.5 13a4.5 4.5 0 1 0-4.2-2.8L4.5 16v3.5H8V17h2.5v-2.5l1.2-1.2a4.5 4.5 0 0 0 2.8-.3zM15.5 8.5h.01",
  words: "M4.5 5.5h15v13h-15zM8 9.5h3m2 0h3m-8 5h3m2 0h3",
  file: "M6 3.5h8l4 4v13H6zM14 3.5v4h4M12 11v6m-2.5-2.5L12 17l2.5-2.5",
  clock: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4.3l2.8 1.7",
  unclear: "M8.8 9.3a3.2 3.2 0 1 1 4.9 2.7c-1.1.7-1.7 1.3-1.7 2.6M12 18h.01",
  minus: "M7 12h10",
  stop: "M7 7h10v10H7z",
  search: "M10.5 16.5a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM15 15l4.5 4.5",
} as const;

export type IconName = keyof typeof ICONS;

/** A line icon in the colour of the surrounding text, hidden from screen readers. */
export function icon(name: IconName): SVGSVGElement {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}
