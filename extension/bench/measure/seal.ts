// Encrypting and decrypting a vault's secret with an existing key, compared with `@metamask/browser-passworder`. Ours
// is XChaCha20-Poly1305 in wasm, the peer's is the browser's AES-GCM, which returns a promise.

import "./buffer";
import { decryptWithKey, encryptWithKey, generateSalt, keyFromPassword } from "@metamask/browser-passworder";
import { SealingKey } from "../../generated/harness/harness.js";
import { WORDS } from "./phrase";
import { same, timed, type Millis } from "./statistics";

export interface Sealing {
  seal: { ours: Millis[]; peer: Millis[] };
  open: { ours: Millis[]; peer: Millis[] };
}

/** Repeated, because the clock is coarse. */
const REPEAT = 500;
const WARM_UP = 3;

export async function measureSeal(rounds: number): Promise<Sealing> {
  const ours = SealingKey.random();
  const salt = generateSalt();
  const peer = await keyFromPassword("password", salt);
  const [sealed, encrypted] = [ours.seal(WORDS), await encryptWithKey(peer, WORDS)];
  same("opened secrets", ours.open(sealed), await decryptWithKey(peer, encrypted));

  const sealing: Sealing = { seal: { ours: [], peer: [] }, open: { ours: [], peer: [] } };
  for (let round = -WARM_UP; round < rounds; round++) {
    const times = [
      await each(() => ours.seal(WORDS)),
      await each(() => encryptWithKey(peer, WORDS)),
      await each(() => ours.open(sealed)),
      await each(() => decryptWithKey(peer, encrypted)),
    ] as const;
    if (round < 0) continue;
    sealing.seal.ours.push(times[0]);
    sealing.seal.peer.push(times[1]);
    sealing.open.ours.push(times[2]);
    sealing.open.peer.push(times[3]);
  }
  ours.free();
  return sealing;
}

/** Time of one call among many; only promises are awaited. */
async function each(work: () => unknown): Promise<Millis> {
  const [time] = await timed(async () => {
    for (let count = 0; count < REPEAT; count++) {
      const made = work();
      if (made instanceof Promise) await made;
    }
  });
  return time / REPEAT;
}
