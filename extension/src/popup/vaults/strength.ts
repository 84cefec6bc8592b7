// The strength of a password. Length matters most, so there are no rules about kinds of characters.

import { plural, t } from "../i18n";

export const LEAST_CHARACTERS = 8;

export interface Strength {
  /** 0 is refused, 3 is the best. */
  level: 0 | 1 | 2 | 3;
  words: string;
}

export function strengthOf(password: string): Strength {
  const characters = [...password];
  const missing = LEAST_CHARACTERS - characters.length;
  if (missing > 0) {
    const needed = t(plural(missing, "vaults_missing_one", "vaults_missing_other"), missing);
    return { level: 0, words: password === "" ? "" : needed };
  }
  // "aaaaaaaaaaaaaaaa" is long and still guessed at once.
  const counted = Math.min(characters.length, new Set(characters).size * 2);
  if (counted < 12) return { level: 1, words: t("vaults_weak") };
  if (counted < 16) return { level: 2, words: t("vaults_good") };
  return { level: 3, words: t("vaults_strong") };
}
