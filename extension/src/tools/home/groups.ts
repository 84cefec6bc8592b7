// The versions of one short name belong together, the newest first.

import type { Tool } from "../types";

export interface Group {
  readonly newest: Tool;
  readonly older: readonly Tool[];
}

/** In the order of the newest versions, as the list has them. */
export function groupsOf(tools: readonly Tool[]): Group[] {
  const bySlug = new Map<string, Tool[]>();
  for (const tool of tools) {
    const place = `${tool.bundleID}/${tool.slug}`;
    bySlug.set(place, [...(bySlug.get(place) ?? []), tool]);
  }
  return [...bySlug.values()].flatMap((versions) => {
    const [newest, ...older] = versions.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
    return newest ? [{ newest, older }] : [];
  });
}
