// Progress while a recovery phrase is typed.

import { plural, t } from "../popup/i18n";

const LENGTHS = [12, 15, 18, 21, 24];

export function wordsOf(phrase: string): string[] {
  return phrase.split(/\s+/).filter((word) => word !== "");
}

export function countWords(phrase: string): string {
  const words = wordsOf(phrase).length;
  if (words === 0) return t("onboarding_words_none");
  if (LENGTHS.includes(words)) return t("onboarding_words_complete", words);
  const next = LENGTHS.find((length) => length > words);
  return next === undefined
    ? t("onboarding_words_too_many", words)
    : t(plural(words, "onboarding_words_more_one", "onboarding_words_more_other"), words, next - words, next);
}
