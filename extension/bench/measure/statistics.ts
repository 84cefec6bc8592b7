// Time measurement in milliseconds.

export type Millis = number;

/** The time that `work` takes, and its value. */
export async function timed<T>(work: () => T | Promise<T>): Promise<[Millis, T]> {
  const start = performance.now();
  const value = await work();
  return [performance.now() - start, value];
}

/** Fails the bench if the results differ, because the figures would not be comparable. */
export function same(what: string, ours: unknown, peer: unknown): void {
  const [left, right] = [JSON.stringify(ours), JSON.stringify(peer)];
  if (left !== right) throw new Error(`${what} differ: ours ${left.slice(0, 300)}, peer ${right.slice(0, 300)}`);
}

/** Pseudo-random numbers, the same in every run (mulberry32). */
export function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
