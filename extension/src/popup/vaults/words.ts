// Texts for a vault: its kind and its lock state.

import type { VaultKind } from "../../../generated/VaultKind";
import type { VaultView } from "../../../generated/VaultView";
import type { IconName } from "../element";
import { hoursWords, minutesWords, timeOfDay } from "../format";
import { t } from "../i18n";

export const KIND_WORDS: Record<VaultKind, string> = {
  local: t("vaults_kind_local"),
  shares: t("vaults_kind_shares"),
  watch: t("vaults_kind_watch"),
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
      return t("vaults_unlocked_until", timeOfDay(vault.unlockedUntil ?? 0));
    case "locked":
      return t("vaults_locked");
    case "unable":
      return vault.kind === "watch" ? t("vaults_watch_only") : t("vaults_cannot_sign");
  }
}

/** The time until a vault locks: "90 minutes", "4 hours". */
export function lockTimeWords(minutes: number): string {
  return minutes % 60 === 0 ? hoursWords(minutes / 60) : minutesWords(minutes);
}
