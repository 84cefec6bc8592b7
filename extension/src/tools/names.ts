// Short names and versions that the editor proposes.

import type { Category, Consequence } from "./types";

const MAX_LENGTH = 64;
const GERMAN: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };

/** A short name from what a tool is called: letters, digits and dashes. */
export function slugOf(displayName: string): string {
  const lower = displayName.normalize("NFC").toLowerCase();
  const latin = lower.replace(/[äöüß]/g, (letter) => GERMAN[letter] ?? letter).normalize("NFKD").replace(/\p{M}/gu, "");
  const slug = latin.normalize("NFC").replace(/[^\p{L}\p{Nd}]+/gu, "-").replace(/^-+|-+$/g, "");
  return [...slug].slice(0, MAX_LENGTH).join("").replace(/-+$/, "");
}

/** The label after the newest: its last number is counted up until it is free. */
export function nextVersion(taken: readonly string[], newest = taken[0]): string {
  if (newest === undefined) return "v1";
  const [, stem = "", digits = ""] = /^(.*?)(\d*)$/.exec(newest) ?? [];
  const before = digits === "" ? `${stem}-` : stem;
  let number = digits === "" ? 2 : Number(digits) + 1;
  while (taken.includes(`${before}${number}`)) number += 1;
  return `${before}${number}`;
}

/** What is usual for a category. Only a proposal: nothing is set by it. */
export const SUGGESTED: Record<Category, { consequence: Consequence; confirmation: boolean }> = {
  read: { consequence: "low", confirmation: false },
  write: { consequence: "medium", confirmation: true },
  delete: { consequence: "high", confirmation: true },
  side_effect: { consequence: "medium", confirmation: true },
};
