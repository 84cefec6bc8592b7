// The interface between a step and the onboarding page.

import type { VaultView } from "../../generated/VaultView";

export type WayName = "create" | "phrase" | "keys" | "file" | "watch";

export interface Step {
  readonly element: HTMLElement;
  /** Clears what was typed. Called whenever the step is left. */
  forget(): void;
}

export interface Path {
  back(): void;
  /** The vault exists. With its password if the user has no copy of it yet. */
  made(vault: VaultView, password?: string): void;
}
