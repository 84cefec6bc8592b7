// Where a `+` in a message opens the palette: at the start of a word.

/** Whether a `+` that was just typed before `caret` begins a word. */
export function opensPalette(text: string, caret: number): boolean {
  if (text[caret - 1] !== "+") return false;
  const before = text[caret - 2];
  const after = text[caret];
  return (before === undefined || /\s/.test(before)) && (after === undefined || /\s/.test(after));
}

/** The text without the `+` before `caret`. */
export const withoutTrigger = (text: string, caret: number): string => text.slice(0, caret - 1) + text.slice(caret);
