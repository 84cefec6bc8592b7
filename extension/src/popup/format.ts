// Times, sizes and addresses for display.

import { LOCALE, plural, t } from "./i18n";


const TIME = new Intl.DateTimeFormat(LOCALE, { timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: "long", day: "numeric", month: "long" });
const FULL = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" });

const MINUTE = 60_000;
const DAY_MILLIS = 24 * 60 * MINUTE;

export const timeOfDay = (millis: number): string => TIME.format(millis);

export const fullTime = (millis: number): string => FULL.format(millis);

export function day(millis: number, now = Date.now()): string {
  if (sameDay(millis, now)) return t("common_today");
  if (sameDay(millis, now - DAY_MILLIS)) return t("common_yesterday");
  return DAY.format(millis);
}

/** The same, inside a sentence. */
export function dayInside(millis: number, now = Date.now()): string {
  if (sameDay(millis, now)) return t("common_today_inside");
  if (sameDay(millis, now - DAY_MILLIS)) return t("common_yesterday_inside");
  return DAY.format(millis);
}

function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/** How long ago something was. */
export function duration(millis: number): string {
  if (millis < MINUTE) return t("common_since_moment");
  const minutes = Math.round(millis / MINUTE);
  if (minutes < 60) return minutesWords(minutes);
  const hours = Math.round(minutes / 60);
  const days = Math.round(hours / 24);
  return hours < 48 ? hoursWords(hours) : t(plural(days, "common_since_days_one", "common_since_days_other"), days);
}

export const minutesWords = (amount: number): string =>
  t(plural(amount, "common_minutes_one", "common_minutes_other"), amount);

export const hoursWords = (amount: number): string =>
  t(plural(amount, "common_hours_one", "common_hours_other"), amount);

/** Exact to the second, for clocks: "8 s", "2 min 05 s", "1 h 04 min". */
export function span(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const two = (part: number): string => String(part).padStart(2, "0");
  if (seconds < 60) return t("common_span_seconds", seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("common_span_minutes", minutes, two(seconds % 60));
  return t("common_span_hours", Math.floor(minutes / 60), two(minutes % 60));
}

export function kilobytes(bytes: number): string {
  return t("common_kilobytes", Math.round(bytes / 1000));
}

/** The first and last characters, which users compare. */
export function shortAddress(address: string): string {
  return address.length <= 20 ? address : `${address.slice(0, 10)}…${address.slice(-8)}`;
}

/** A shortened transaction hash; copying gives the whole. */
export function shortHash(hash: string): string {
  return hash.length <= 18 ? hash : `${hash.slice(0, 8)}…${hash.slice(-6)}`;
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? "";
