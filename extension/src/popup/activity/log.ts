// The interface of the activity view's logs.

import type { WireEvent } from "../events";

export interface Log {
  readonly element: HTMLElement;
  take(event: WireEvent): void;
  /** Called when it is shown, and when its data may be out of date. */
  reload(): void;
}
