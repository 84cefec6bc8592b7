// Keeps one core running. A trap poisons a wasm instance, so a crashed core is dropped whole: everything that
// waits for it is told at once, and the next piece of work opens a new one.
//
//   closed ──run──▶ opening ──▶ open ──trap──▶ closed (instance reset)
//                      └──refused──▶ closed (same instance)

/** What the shell needs of the wasm core. */
export interface Core {
  handle(method: string, target: string, body: string): Promise<Reply>;
  events_after(after: number): Promise<string>;
  /** A message of a web page or of another extension, by the origin that the browser names: JSON in, JSON out. */
  outside(origin: string, text: string): Promise<string>;
  /** A request of a web page; origin, document and tab are the browser's word. JSON in, JSON out. */
  page(origin: string, document: string, tab: number, text: string): Promise<string>;
  /** What a web page of this origin may know now, as JSON. */
  page_state(origin: string): Promise<string>;
  /** A document of a web page is gone: its tab was closed, or shows something else. */
  page_gone(origin: string, document: string): Promise<void>;
  /** The user is `active`, `idle`, or has `locked` the screen. */
  presence_changed(presence: string): Promise<void>;
  resume(): Promise<void>;
}

/** The core's answer to one request. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** Where set, the answer is a stream of the events after this id. */
  readonly eventsAfter?: number;
}

/** Where cores come from. */
export interface CoreSource {
  open(): Promise<Core>;
  /** Gives up the instance, so that the next `open` begins with clean memory. */
  reset(): void;
}

/** Answers what needs no core. */
export interface FirstReader {
  /** Nothing if only a core can answer. */
  answer(method: string, target: string): Promise<{ status: number; body: string } | undefined>;
}

/** The core trapped while it worked on something. */
export class CoreCrashed extends Error {
  readonly code = "core_crashed";
  constructor(cause: unknown) {
    super("The wallet core stopped unexpectedly and was restarted. Nothing that was recorded is lost.", { cause });
  }
}

/** The core said why it will not do something: start, for example, because the store is newer than the program. */
export class CoreRefused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** One core from its opening to its crash. */
interface Life {
  readonly core: Promise<Core>;
  /** Rejects when this core crashes; never resolves. */
  readonly crash: Promise<never>;
  readonly end: (reason: CoreCrashed) => void;
  /** Whether the work that an earlier worker left was taken up. */
  resumed: boolean;
}

/** Old work is resumed after the first answer, and without one after this: a first request may wait for a person. */
const RESUME_AFTER_MILLIS = 150;
/** About as long as an answer takes to leave. */
const OPEN_AFTER_MILLIS = 5;

export class CoreKeeper {
  #life: Life | undefined;
  #isOpen = false;

  constructor(
    private readonly source: CoreSource,
    private readonly reader?: FirstReader,
  ) {}

  /**
   * The answer to a plain read while no core is open. The core is opened after it: both at once would share the
   * processor, and the answer would come later.
   */
  async readFirst(method: string, target: string): ReturnType<FirstReader["answer"]> {
    if (this.#isOpen || !this.reader) return undefined;
    const answer = await this.reader.answer(method, target);
    if (answer) setTimeout(() => this.begin(), OPEN_AFTER_MILLIS);
    return answer;
  }

  /** Opens a core, if none is there; it resumes what an earlier worker left unfinished. */
  begin(): void {
    this.run(() => Promise.resolve()).catch(() => {});
  }

  /** Does `work` with the running core, opening one if there is none. Rejects when the core refuses or crashes. */
  async run<T>(work: (core: Core) => Promise<T>): Promise<T> {
    const life = (this.#life ??= this.#begin());
    const core = await Promise.race([life.core, life.crash]);
    try {
      const done = await Promise.race([work(core), life.crash]);
      setTimeout(() => this.#resume(core, life), OPEN_AFTER_MILLIS);
      return done;
    } catch (error) {
      if (error instanceof CoreCrashed) throw error;
      throw refusal(error) ?? this.#end(life, error);
    }
  }

  /** For exceptions that no caller sees: a trap in a microtask or a callback reaches only the global scope. */
  uncaught(error: unknown): void {
    if (this.#life) this.#end(this.#life, error);
  }

  #begin(): Life {
    let end: Life["end"] = () => {};
    const crash = new Promise<never>((_, reject) => (end = reject));
    crash.catch(() => {});
    const life: Life = { core: this.#open(() => life), crash, end, resumed: false };
    life.core.catch(() => {});
    return life;
  }

  async #open(self: () => Life): Promise<Core> {
    // One turn later, so that `self()` is there also when `open` throws at once.
    await Promise.resolve();
    try {
      const core = await this.source.open();
      this.#isOpen = true;
      setTimeout(() => this.#resume(core, self()), RESUME_AFTER_MILLIS);
      return core;
    } catch (error) {
      const refused = refusal(error);
      if (!refused) throw this.#end(self(), error);
      if (this.#life === self()) this.#life = undefined;
      throw refused;
    }
  }

  /** Once in a core's life, and not awaited. */
  #resume(core: Core, life: Life): void {
    if (this.#life !== life || life.resumed) return;
    life.resumed = true;
    new Promise((resolve) => resolve(core.resume())).catch((error: unknown) => {
      if (!refusal(error)) this.#end(life, error);
    });
  }

  #end(life: Life, cause: unknown): CoreCrashed {
    const crashed = new CoreCrashed(cause);
    life.end(crashed);
    if (this.#life === life) {
      this.#life = undefined;
      this.#isOpen = false;
      this.source.reset();
    }
    return crashed;
  }
}

/** Reads the code and the message that the core rejects with. Anything else it throws is a bug that may have left it half done. */
function refusal(error: unknown): CoreRefused | undefined {
  if (error instanceof CoreRefused) return error;
  if (error instanceof Error || typeof error !== "object" || error === null) return undefined;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === "string" ? new CoreRefused(code, String(message)) : undefined;
}

/** Whether an exception that reached the global scope came from inside the running instance. */
export function isTrap(error: unknown): boolean {
  // V8 reports a wasm stack that grew too deep as RangeError, every other trap as RuntimeError.
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

/** wasm-bindgen's glue refuses callbacks that belong to an instance which was already reset. */
export function isStale(error: unknown): boolean {
  return error instanceof Error && /previous wasm instance/i.test(error.message);
}
