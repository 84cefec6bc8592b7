// Converts between whole coins as typed and the smallest units of rules. Never a floating-point number.

import { RequestError } from "../../request";

const NUMBER = /^(\d*)(?:\.(\d*))?$/;

export function toUnits(text: string, decimals: number): string {
  const parts = NUMBER.exec(text.trim());
  const [, whole = "", fraction = ""] = parts ?? [];
  if (whole + fraction === "") throw new RequestError(0, "invalid_amount", "");
  const places = fraction.replace(/0+$/, "");
  if (places.length > decimals) throw new RequestError(0, "amount_too_precise", "");
  return BigInt(whole + places.padEnd(decimals, "0")).toString();
}

export function fromUnits(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, "0");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 || fraction === "" ? whole : `${whole}.${fraction}`;
}
