// Keeps the reader of descriptors (ERC-7730): a wasm module of its own. Most workers live and die without it. It sees no
// secret.

import { InstanceKeeper, type ModuleInstance } from "./keeper";

/** Called from Rust; the name is the contract. */
export interface DescriptorReader {
  /** Rejects when the module cannot be loaded, or crashed. */
  ask(request: string): Promise<string>;
}

/** The reader of an instance. */
export function descriptorReaderOf(instance: ModuleInstance): DescriptorReader {
  const keeper = new InstanceKeeper(instance);
  return { ask: (request) => keeper.ask(request) };
}
