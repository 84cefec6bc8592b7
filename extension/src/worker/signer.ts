// Keeps the signer: a wasm module of its own, for whatever touches keys or decodes transactions. Most workers live and
// die without it, so it is loaded when it is first asked for something. It keeps nothing between two requests, so its
// instance can be given up after any of them.
//
// Requests and answers hold secrets: nothing here is ever logged, and no error carries a part of them.

/** What is needed of the wasm module and its glue. */
export interface SignerModule {
  compile(): Promise<WebAssembly.Module>;
  /** The running instance's memory; makes an instance if there is none. */
  start(module: WebAssembly.Module): Promise<WebAssembly.Memory>;
  /** JSON in, JSON out. Throws when the instance traps. */
  answer(request: string): string;
  /** Gives up the instance for a new one. */
  reset(): void;
}

/** Called from Rust; the name is the contract. */
export interface Signer {
  /** Rejects when the module cannot be loaded, or crashed. */
  ask(request: string): Promise<string>;
}

// A password's hash takes 64 MiB, and memory that wasm has grown is only given back with the instance.
const MOST_MEMORY_KEPT = 16 << 20;

export class SignerKeeper implements Signer {
  #compiled: Promise<WebAssembly.Module> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly module: SignerModule) {}

  /** One after another: two hashes at once would take twice the memory. */
  ask(request: string): Promise<string> {
    const answer = this.#last.then(() => this.#answer(request));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #answer(request: string): Promise<string> {
    const memory = await this.module.start(await this.#compile());
    let kept = false;
    try {
      const answer = this.module.answer(request);
      kept = memory.buffer.byteLength <= MOST_MEMORY_KEPT;
      return answer;
    } finally {
      if (!kept) this.module.reset();
    }
  }

  #compile(): Promise<WebAssembly.Module> {
    this.#compiled ??= this.module.compile().catch((error: unknown) => {
      this.#compiled = undefined;
      throw error;
    });
    return this.#compiled;
  }
}
