// Ignores presses that are not the user's decision: made before the prompt could be read, meant for something shown
// before, made by a script, or the second half of a double click.

/** How long a prompt must have been visible before it can be answered. */
export const ARM_MILLIS = 600;

/** The parts of the document that the guard uses. */
export interface Sight extends Pick<EventTarget, "addEventListener" | "removeEventListener"> {
  readonly visibilityState: DocumentVisibilityState;
}

/**
 * Arms when the page has been visible for a while since the prompt appeared, since the page became visible again, or
 * since its window came back to the front: a page that opens its own window over ours and closes it under the second
 * half of a double click gains nothing. The window need not have the focus: a driven browser may show a page without
 * focusing it.
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

  /** A prompt appeared, or an answer was refused: presses count again after the delay. */
  restart(): void {
    this.#pressed = false;
    this.#disarm();
    if (this.page.visibilityState !== "visible") return;
    this.#timer = setTimeout(() => this.#arm(), ARM_MILLIS);
  }

  /** Whether a press counts. At most one does, until the guard is restarted. */
  admits(event: Pick<Event, "isTrusted">): boolean {
    if (!event.isTrusted || !this.#armed || this.page.visibilityState !== "visible") return false;
    this.#pressed = true;
    this.#disarm();
    return true;
  }

  /** The prompt is gone. */
  stop(): void {
    this.page.removeEventListener("visibilitychange", this.#again);
    this.frame.removeEventListener("blur", this.#left);
    this.frame.removeEventListener("focus", this.#back);
    this.#disarm();
  }

  /** While an answer is being sent, no other press is admitted. */
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
