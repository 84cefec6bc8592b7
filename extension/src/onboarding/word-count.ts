// Progress while a recovery phrase is typed.

import { count } from "../popup/format";

const LENGTHS = [12, 15, 18, 21, 24];

export function wordsOf(phrase: string): string[] {
  return phrase.split(/\s+/).filter((word) => word !== "");
}

export function countWords(phrase: string): string {
  const words = wordsOf(phrase).length;
  if (words === 0) return "12, 15, 18, 21 or 24 words.";
  if (LENGTHS.includes(words)) return `${words} words: a complete phrase.`;
  const next = LENGTHS.find((length) => length > words);
  return next === undefined
    ? `${words} words: too many.`
    : `${count(words, "word")}; ${next - words} more for ${next}.`;
}
