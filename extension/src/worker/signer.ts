// Keeps the signer: a wasm module of its own, for what touches keys or decodes transactions. Most workers live and die
// without it, so it is loaded when it is first asked for something. It keeps nothing between two requests, so an instance
// can be given up after any of them.
//
// There are two instances of one compiled module: one sees secrets, the other sees what nodes, agents and pages wrote.
// Requests and answers of the first hold secrets: nothing here is ever logged, and no error carries a part of them.

/** What is needed of one instance of the wasm module and its glue. */
export interface SignerInstance {
  compile(): Promise<WebAssembly.Module>;
  /** The running instance's memory; makes an instance if there is none. */
  start(module: WebAssembly.Module): Promise<WebAssembly.Memory>;
  /** JSON in, JSON out. Throws when the instance traps. */
  answer(request: string): string;
  /** Gives up the instance for a new one. */
  reset(): void;
}

/** Called from Rust; the names are the contract. Both reject when the module cannot be loaded, or crashed. */
export interface Signer {
  /** Asks the instance that sees secrets. */
  keys(request: string): Promise<string>;
  /** Asks the instance that sees none. */
  decode(request: string): Promise<string>;
}

/** The signer of two instances. */
export function signerOf(keys: SignerInstance, decoder: SignerInstance): Signer {
  const [keysKeeper, decodeKeeper] = [new InstanceKeeper(keys), new InstanceKeeper(decoder)];
  return { keys: (request) => keysKeeper.ask(request), decode: (request) => decodeKeeper.ask(request) };
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

  constructor(private readonly instance: SignerInstance) {}

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
