// Keeps the toolbox: a wasm module of its own, for the schemas, expressions and templates of tools. Most workers live and
// die without it. It sees no secret.

import { InstanceKeeper, type ModuleInstance } from "./keeper";

/** Called from Rust; the name is the contract. */
export interface Toolbox {
  /** Rejects when the module cannot be loaded, or crashed. */
  ask(request: string): Promise<string>;
}

/** The toolbox of an instance. */
export function toolboxOf(instance: ModuleInstance): Toolbox {
  const keeper = new InstanceKeeper(instance);
  return { ask: (request) => keeper.ask(request) };
}
