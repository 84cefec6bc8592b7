// The worker's question to the wallet's pages: who shows this prompt? A page that does not show it says nothing.

/** The field of the message with the prompt's id. */
export const QUESTION = "countersign-prompt";

/** On a page of the wallet that the user sees, or in the window that is there for prompts. */
export type ShownOn = "page" | "window";

export const isShownOn = (value: unknown): value is ShownOn => value === "page" || value === "window";

/** Answers the question as `where` says; it is called while the prompt is on disk already. */
export function answerForPrompts(where: (promptId: string) => ShownOn | undefined): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond) => {
    const promptId = sender.id === chrome.runtime.id ? promptAskedFor(message) : undefined;
    const place = promptId === undefined ? undefined : where(promptId);
    // The first answer counts: a page that says no would speak for the others.
    if (place !== undefined) respond(place);
    return undefined;
  });
}

function promptAskedFor(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const id = (message as Record<string, unknown>)[QUESTION];
  return typeof id === "string" ? id : undefined;
}
