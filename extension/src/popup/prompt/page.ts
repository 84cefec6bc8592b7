// Links to the approval page and back, for each shape of the wallet's page.

/** The approval page in place of this one; the shape tells it where to return. */
export function approvalPage(promptId: string): string {
  const shape = document.documentElement.dataset["shape"] ?? "tab";
  return `approve.html?${new URLSearchParams({ prompt: promptId, view: shape })}`;
}

/** The approval page for every open prompt, in the shape of this one. */
export function allPrompts(query: URLSearchParams): string {
  const shape = query.get("view");
  return shape === null ? "approve.html" : `approve.html?${new URLSearchParams({ view: shape })}`;
}

/** The page to return to; `undefined` if the approval page was opened on its own. */
export function wayBack(query: URLSearchParams): string | undefined {
  const shape = query.get("view");
  return shape === null ? undefined : `popup.html?${new URLSearchParams({ view: shape })}`;
}
