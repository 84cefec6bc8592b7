// How far somebody is who types a recovery phrase.

import { count } from "../popup/format";

const LENGTHS = [12, 15, 18, 21, 24];

export function wordsOf(phrase: string): string[] {
  return phrase.split(/\s+/).filter((word) => word !== "");
}

export function countWords(phrase: string): string {
  const words = wordsOf(phrase).length;
  if (words === 0) return "12, 15, 18, 21 or 24 words.";
  if (LENGTHS.includes(words)) return `${words} words, which can be a whole phrase.`;
  const next = LENGTHS.find((length) => length > words);
  return next === undefined
    ? `${words} words are too many.`
    : `${count(words, "word")}; ${next - words} more make ${next}.`;
}
