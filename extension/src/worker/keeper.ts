// Keeps an instance of a wasm module that is loaded when it is first asked for something. Such a module keeps nothing that
// it could not make again, so an instance can be given up after any request.

/** What is needed of one instance of a wasm module and its glue. */
export interface ModuleInstance {
  compile(): Promise<WebAssembly.Module>;
  /** The running instance's memory; makes an instance if there is none. */
  start(module: WebAssembly.Module): Promise<WebAssembly.Memory>;
  /** JSON in, JSON out. Throws when the instance traps. */
  answer(request: string): string;
  /** Gives up the instance for a new one. */
  reset(): void;
}

/** Makes something once, when it is first needed; again if that failed. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

// A password's hash takes 64 MiB, and memory that wasm has grown is only given back with the instance.
const MOST_MEMORY_KEPT = 16 << 20;

/** Keeps one instance, and gives it up when it trapped or has grown. */
export class InstanceKeeper {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly instance: ModuleInstance) {}

  /** One after another: two hashes at once would take twice the memory. */
  ask(request: string): Promise<string> {
    const answer = this.#last.then(() => this.#answer(request));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #answer(request: string): Promise<string> {
    const memory = await this.instance.start(await this.instance.compile());
    let kept = false;
    try {
      const answer = this.instance.answer(request);
      kept = memory.buffer.byteLength <= MOST_MEMORY_KEPT;
      return answer;
    } finally {
      if (!kept) this.instance.reset();
    }
  }
}
