// Text that somebody else wrote, made safe to stand beside our own.

/** Controls, marks that turn the direction of writing, and everything else that has no shape of its own. */
const SHAPELESS = /(?!\n)[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** What cannot be seen becomes a sign that can: two texts that look the same are the same, and read left to right. */
export function plain(text: string): string {
  return text.replace(SHAPELESS, "\u{fffd}");
}
