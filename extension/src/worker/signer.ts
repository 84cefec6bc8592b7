// Keeps the signer: a wasm module of its own, for what touches keys or decodes transactions. Most workers live and die
// without it, so it is loaded when it is first asked for something. It keeps nothing between two requests, so an instance
// can be given up after any of them.
//
// There are two instances of one compiled module: one sees secrets, the other sees what nodes, agents and pages wrote.
// Requests and answers of the first hold secrets: nothing here is ever logged, and no error carries a part of them.

import { InstanceKeeper, type ModuleInstance } from "./keeper";

/** Called from Rust; the names are the contract. Both reject when the module cannot be loaded, or crashed. */
export interface Signer {
  /** Asks the instance that sees secrets. */
  keys(request: string): Promise<string>;
  /** Asks the instance that sees none. */
  decode(request: string): Promise<string>;
}

/** The signer of two instances. */
export function signerOf(keys: ModuleInstance, decoder: ModuleInstance): Signer {
  const [keysKeeper, decodeKeeper] = [new InstanceKeeper(keys), new InstanceKeeper(decoder)];
  return { keys: (request) => keysKeeper.ask(request), decode: (request) => decodeKeeper.ask(request) };
}
