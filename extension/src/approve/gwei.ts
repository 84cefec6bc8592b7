// Prices of gas as people write them: in gwei, a billionth of a coin. The core has decimal digits of the smallest unit.

const DIGITS = 9;

/** Digits of the smallest unit as gwei. */
export function gweiOf(wei: string): string {
  const digits = wei.padStart(DIGITS + 1, "0");
  const fraction = digits.slice(-DIGITS).replace(/0+$/, "");
  return digits.slice(0, -DIGITS) + (fraction === "" ? "" : `.${fraction}`);
}

/** Gwei as digits of the smallest unit; nothing if it is no number. A comma is as good as a point. */
export function weiOf(gwei: string): string | undefined {
  const found = /^(\d{1,20})(?:[.,](\d{1,9}))?$/.exec(gwei.trim());
  if (!found) return undefined;
  const digits = (found[1] ?? "") + (found[2] ?? "").padEnd(DIGITS, "0");
  return digits.replace(/^0+(?=\d)/, "");
}
