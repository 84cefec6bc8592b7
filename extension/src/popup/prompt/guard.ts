// Keeps a press from counting that was not a person's decision: made before the question could be read, meant for what
// stood there before, made by a script, or the second half of a double click.

/** How long a question must have been in sight before it can be answered. */
export const ARM_MILLIS = 600;

/** What the guard needs of the document. */
export interface Sight extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  readonly visibilityState: DocumentVisibilityState;
}

/**
 * Arms when the page has been visible for a while since the question appeared, since the page came into sight again, or
 * since its window came to the front. A press on a window behind others brings it to the front first, and so counts for
 * nothing. That the window has the focus is not asked for: a driven browser may never give it to a page that it shows.
 */
export class Guard {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armed = false;
  readonly #again = (): void => {
    if (!this.#pressed) this.restart();
  };
  #pressed = false;

  constructor(
    private readonly show: (armed: boolean) => void,
    private readonly page: Sight = document,
    private readonly frame: Pick<EventTarget, "addEventListener" | "removeEventListener"> = window,
  ) {
    page.addEventListener("visibilitychange", this.#again);
    frame.addEventListener("focus", this.#again);
    this.restart();
  }

  /** A question has come, or an answer was refused: presses count again after a while. */
  restart(): void {
    this.#pressed = false;
    this.#disarm();
    if (this.page.visibilityState !== "visible") return;
    this.#timer = setTimeout(() => this.#arm(), ARM_MILLIS);
  }

  /** Whether a press counts. At most one does, until the guard is started again. */
  admits(event: Pick<Event, "isTrusted">): boolean {
    if (!event.isTrusted || !this.#armed || this.page.visibilityState !== "visible") return false;
    this.#pressed = true;
    this.#disarm();
    return true;
  }

  /** The question is gone. */
  stop(): void {
    this.page.removeEventListener("visibilitychange", this.#again);
    this.frame.removeEventListener("focus", this.#again);
    this.#disarm();
  }

  #arm(): void {
    this.#armed = true;
    this.show(true);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#armed = false;
    this.show(false);
  }
}
