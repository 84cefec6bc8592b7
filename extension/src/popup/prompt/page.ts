// The way to the approval page and back, in whatever shape the wallet is open.

/** The approval page in place of this one; it knows the way back by the shape. */
export function approvalPage(promptId: string): string {
  const shape = document.documentElement.dataset["shape"] ?? "tab";
  return `approve.html?${new URLSearchParams({ prompt: promptId, view: shape })}`;
}

/** Where the person came from; nowhere if the page was opened on its own. */
export function wayBack(query: URLSearchParams): string | undefined {
  const shape = query.get("view");
  return shape === null ? undefined : `popup.html?${new URLSearchParams({ view: shape })}`;
}
