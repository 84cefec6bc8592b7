// What the logs of the activity view have in common.

import type { WireEvent } from "../events";

export interface Log {
  readonly element: HTMLElement;
  take(event: WireEvent): void;
  /** Called when it is shown, and whenever what it shows may be out of date. */
  reload(): void;
}
