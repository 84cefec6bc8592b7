// What a step of this page is to the page around it.

import type { VaultView } from "../../generated/VaultView";

export type WayName = "create" | "phrase" | "keys" | "file" | "watch";

export interface Step {
  readonly element: HTMLElement;
  /** Takes what was typed out of the page. Called when the step is left, however that happens. */
  forget(): void;
}

export interface Path {
  back(): void;
  /** A vault is there. With the password it has, where the person has no copy of it yet. */
  made(vault: VaultView, password?: string): void;
}
