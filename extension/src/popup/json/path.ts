// Places in a JSON value: as a JSONPath (RFC 9535) and as a JSON pointer (RFC 6901).

export type Segment = string | number;

/** A name that may follow a dot. */
const SHORTHAND = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const ESCAPES: Record<string, string> = {
  "'": "\\'",
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** The JSONPath of one value. */
export function jsonPath(segments: readonly Segment[]): string {
  return `$${segments.map(step).join("")}`;
}

/** The same value in every entry of the innermost list around it, if there is one. */
export function jsonPathOfAll(segments: readonly Segment[]): string | undefined {
  const list = segments.findLastIndex((segment) => typeof segment === "number");
  if (list === -1) return undefined;
  return `$${segments.map((segment, i) => (i === list ? "[*]" : step(segment))).join("")}`;
}

function step(segment: Segment): string {
  if (typeof segment === "number") return `[${segment}]`;
  return SHORTHAND.test(segment) ? `.${segment}` : `['${quoted(segment)}']`;
}

function quoted(name: string): string {
  return name.replace(/['\\\u0000-\u001f]/g, (sign) => {
    return ESCAPES[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The pointer of a place; the whole value is `""`. */
export function pointer(segments: readonly Segment[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The pointer and those of the values around it, innermost first. */
export function around(pointer: string): string[] {
  const places = [pointer];
  for (let end = pointer.lastIndexOf("/"); end > 0; end = pointer.lastIndexOf("/", end - 1)) places.push(pointer.slice(0, end));
  if (pointer !== "") places.push("");
  return places;
}
