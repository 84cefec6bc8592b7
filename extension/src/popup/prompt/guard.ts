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
 * since its window came back to the front: a page that lays its own window over ours and closes it under the second
 * half of a double click gains nothing. That the window has the focus now is not asked for: a driven browser may show a
 * page and never give it the focus.
 */
export class Guard {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armed = false;
  #pressed = false;
  #behind = false;

  constructor(
    private readonly show: (armed: boolean) => void,
    private readonly page: Sight = document,
    private readonly frame: Pick<EventTarget, "addEventListener" | "removeEventListener"> = window,
  ) {
    page.addEventListener("visibilitychange", this.#again);
    frame.addEventListener("blur", this.#left);
    frame.addEventListener("focus", this.#back);
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
    this.frame.removeEventListener("blur", this.#left);
    this.frame.removeEventListener("focus", this.#back);
    this.#disarm();
  }

  /** While an answer is on its way, nothing opens the way for another. */
  readonly #again = (): void => {
    if (!this.#pressed) this.restart();
  };

  readonly #left = (): void => {
    this.#behind = true;
  };

  readonly #back = (): void => {
    if (this.#behind) this.#again();
    this.#behind = false;
  };

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
