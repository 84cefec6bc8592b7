// Times, sizes and addresses for display.

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

const MINUTE = 60_000;
const DAY_MILLIS = 24 * 60 * MINUTE;

export const timeOfDay = (millis: number): string => TIME.format(millis);

export const fullTime = (millis: number): string => FULL.format(millis);

export function day(millis: number, now = Date.now()): string {
  if (sameDay(millis, now)) return "Today";
  if (sameDay(millis, now - DAY_MILLIS)) return "Yesterday";
  return DAY.format(millis);
}

function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

export function duration(millis: number): string {
  if (millis < MINUTE) return "less than a minute";
  const minutes = Math.round(millis / MINUTE);
  if (minutes < 60) return count(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return hours < 48 ? count(hours, "hour") : count(Math.round(hours / 24), "day");
}

/** Exact to the second, for clocks: "8 s", "2 min 05 s", "1 h 04 min". */
export function span(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const two = (part: number): string => String(part).padStart(2, "0");
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

export function count(amount: number, noun: string, several = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : several}`;
}

export function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
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
