// Makes untrusted text safe to display.

/** Control characters, bidirectional marks and other invisible characters. */
const SHAPELESS = /(?!\n)[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Replaces invisible characters by a visible sign: texts that look the same are the same, and read left to right. */
export function plain(text: string): string {
  return text.replace(SHAPELESS, "\u{fffd}");
}
