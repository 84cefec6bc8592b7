// Listeners by event name. One that throws does not stop the others.

import { call, create } from "./safe";

export type Listener = (...args: never[]) => unknown;

interface Entry {
  readonly listener: Listener;
  readonly once: boolean;
}

export class Emitter {
  readonly #entries: Record<string, readonly Entry[]> = create(null) as Record<string, readonly Entry[]>;

  add(name: string, listener: Listener, once = false): void {
    if (typeof listener !== "function") return;
    const known = this.#entries[name] ?? [];
    this.#entries[name] = joined(known, { listener, once });
  }

  /** Removes a listener once; without a listener, all of the event. */
  remove(name: string, listener?: Listener): void {
    const known = this.#entries[name] ?? [];
    const kept: Entry[] = [];
    let found = false;
    for (let i = known.length - 1; i >= 0; i--) {
      const entry = known[i] as Entry;
      if (listener === undefined || (!found && entry.listener === listener)) found = true;
      else kept[kept.length] = entry;
    }
    const ordered: Entry[] = [];
    for (let i = kept.length - 1; i >= 0; i--) ordered[ordered.length] = kept[i] as Entry;
    this.#entries[name] = ordered;
  }

  count(name: string): number {
    return (this.#entries[name] ?? []).length;
  }

  emit(name: string, ...args: readonly unknown[]): void {
    const known = this.#entries[name] ?? [];
    for (let i = 0; i < known.length; i++) {
      const { listener, once } = known[i] as Entry;
      if (once) this.remove(name, listener);
      call(listener, args);
    }
  }
}

function joined(entries: readonly Entry[], last: Entry): readonly Entry[] {
  const all: Entry[] = [];
  for (let i = 0; i < entries.length; i++) all[i] = entries[i] as Entry;
  all[entries.length] = last;
  return all;
}
