// Hints for a description. An agent chooses tools by it: what it does, when to use it, what to use otherwise.

export interface DescriptionLint {
  readonly what: boolean;
  readonly when: boolean;
  readonly otherwise: boolean;
}

const MIN_WORDS = 3;
const WHEN = /\b(use|call|choose|run)\b[^.]*\b(when|if|for|to|whenever)\b|\bwhen\b|\b(wenn|falls|sobald)\b|\bum\b.*\bzu\b/i;
const OTHERWISE = /\b(instead|not for|rather than|otherwise|do not use|don't use)\b|\bfor\b[^.]*\buse\b|\b(stattdessen|nicht für|sonst|statt)\b/i;

export function lintDescription(description: string): DescriptionLint {
  const first = description.split(/[.!?\n]/, 1)[0]?.trim() ?? "";
  return {
    what: first.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length >= MIN_WORDS,
    when: WHEN.test(description),
    otherwise: OTHERWISE.test(description),
  };
}
