// The interface between a view and its page.

import type { Listener } from "./events";

export type ViewName = "agent" | "wallet" | "contacts" | "activity" | "tools" | "settings";

export interface Surroundings {
  /** Listens while the view is shown; only one stream is open at a time. */
  listen(after: number | undefined, listener: Pick<Listener, "event" | "reload">): void;
  go(view: ViewName): void;
}

export interface View {
  readonly element: HTMLElement;
  /** Called once, after the element is on the page. */
  show(): void;
}
