// Calls that events name and a view does not have yet. One request a call at a time: an answer is never older than one
// that was shown before.

import type { Call } from "../../generated/Call";
import type { CallChange } from "../../generated/CallChange";
import { getCall } from "./api";

export class CallLoader {
  /** The calls being loaded, and whether an event arrived meanwhile, after which the answer may be too old. */
  readonly #loading = new Map<string, boolean>();

  constructor(private readonly put: (call: Call) => void) {}

  load(id: string): void {
    const isLoading = this.#loading.has(id);
    this.#loading.set(id, isLoading);
    if (!isLoading) void this.#load(id);
  }

  async #load(id: string): Promise<void> {
    const call = await getCall(id).catch(() => undefined);
    const again = this.#loading.get(id);
    this.#loading.delete(id);
    if (call) this.put(call);
    if (again) this.load(id);
  }
}

/** The call after a change. */
export const changed = (call: Call, { state, delivery }: Pick<CallChange, "state" | "delivery">): Call => ({
  ...call,
  state: state ?? call.state,
  delivery: delivery ?? call.delivery,
});
