// Texts for a vault: its kind and its lock state.

import type { VaultKind } from "../../../generated/VaultKind";
import type { VaultView } from "../../../generated/VaultView";
import type { IconName } from "../element";
import { count, timeOfDay } from "../format";

export const KIND_WORDS: Record<VaultKind, string> = {
  local: "Keys on this computer",
  shares: "One device's share of the keys",
  watch: "No keys here",
};

/** A vault that cannot sign here cannot be unlocked. */
export type LockState = "open" | "locked" | "unable";

export function lockState({ kind, unlockedUntil }: VaultView, now = Date.now()): LockState {
  if (kind !== "local") return "unable";
  return unlockedUntil !== null && unlockedUntil > now ? "open" : "locked";
}

export const LOCK_ICONS: Record<LockState, IconName> = { open: "unlock", locked: "lock", unable: "eye" };

export function lockWords(vault: VaultView): string {
  switch (lockState(vault)) {
    case "open":
      return `Unlocked until ${timeOfDay(vault.unlockedUntil ?? 0)}`;
    case "locked":
      return "Locked";
    case "unable":
      return vault.kind === "watch" ? "Watch only" : "Cannot sign here";
  }
}

export function minutesWords(minutes: number): string {
  return minutes % 60 === 0 ? count(minutes / 60, "hour") : count(minutes, "minute");
}
