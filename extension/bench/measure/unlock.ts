// Unlocking a vault by its password, compared with `@metamask/browser-passworder`. Ours is the signer's module as the
// worker uses it, from the request's text to the reply's: a new instance each time, Argon2id with the parameters of a
// new vault, the secret decrypted and encrypted again for the session. The peer's is its `decrypt` with its default
// parameters, in the browser's native code.

import "./buffer";
import { decrypt, encrypt } from "@metamask/browser-passworder";
import start, { __wbg_reset_state as reset, answerKeys } from "../../generated/signer/signer.js";
import { InstanceKeeper } from "../../src/worker/keeper";
import { fetchBytes, served } from "./module";
import { WORDS } from "./phrase";
import { same, timed, type Millis } from "./statistics";

export interface Sealed {
  ours: string;
  peer: string;
  /** The cost of a guess, as both sides state it. */
  cost: { memoryKib: number; passes: number; iterations: number };
}

export interface Unlock {
  /** The signer's module, from its bytes to an instance. */
  load: Millis;
  /** By a worker that has just loaded it: its code is not optimised yet. */
  first: Millis;
  ours: Millis[];
  peer: Millis[];
}

const PASSWORD = "correct horse battery staple";

/** Encrypts the same phrase on both sides, each with its default parameters. */
export async function sealBoth(): Promise<Sealed> {
  const { signer } = await loaded();
  const origin = { phrase: { words: WORDS, passphrase: "" } };
  const made = await ask(signer, { new_vault: { name: "Bench", password: PASSWORD, origin } });
  const ours = made.vault?.sealed;
  if (!ours) throw new Error(`no vault was made: ${JSON.stringify(made.refused)}`);
  const peer = await encrypt(PASSWORD, WORDS);
  const refused = await ask(signer, unlock(ours, "another one"));
  same("our answer to a wrong password", refused.refused?.code, "wrong_password");
  same("the peer's", await decrypt("another one", peer).catch((error: Error) => error.message), "Incorrect password");
  const { memoryKib, passes } = (JSON.parse(ours) as { kdf: { memoryKib: number; passes: number } }).kdf;
  const { keyMetadata } = JSON.parse(peer) as { keyMetadata: { params: { iterations: number } } };
  return { ours, peer, cost: { memoryKib, passes, ...keyMetadata.params } };
}

/** Once per page: the browser would reuse compiled code. */
export async function measureUnlock({ ours, peer }: Sealed, rounds: number): Promise<Unlock> {
  const { load, signer } = await loaded();
  const measured: Unlock = { load, first: 0, ours: [], peer: [] };
  for (let round = -1; round < rounds; round++) {
    const [oursTime, reply] = await timed(() => ask(signer, unlock(ours, PASSWORD)));
    const [peerTime, words] = await timed(() => decrypt(PASSWORD, peer));
    same("what was opened for", reply.opened?.opened.binding, "bench");
    same("the peer's phrase", words, WORDS);
    measured.peer.push(peerTime);
    if (round < 0) measured.first = oursTime;
    else measured.ours.push(oursTime);
  }
  return measured;
}

/** The signer, loaded beforehand, as a worker's first request would. */
async function loaded(): Promise<{ load: Millis; signer: InstanceKeeper }> {
  const bytes = await fetchBytes("signer.wasm");
  const [load, module] = await timed(async () => {
    const module = await WebAssembly.compileStreaming(served(bytes));
    await start({ module_or_path: module });
    return module;
  });
  const signer = new InstanceKeeper({
    compile: () => Promise.resolve(module),
    start: async (module) => (await start({ module_or_path: module })).memory,
    answer: answerKeys,
    reset,
  });
  return { load, signer };
}

/** The fields that are used here. */
interface Reply {
  vault?: { sealed: string };
  opened?: { opened: { binding: string } };
  refused?: { code: string };
}

const unlock = (sealed: string, password: string): object => ({ unlock: { sealed, password, binding: "bench" } });

async function ask(signer: InstanceKeeper, request: object): Promise<Reply> {
  return JSON.parse(await signer.ask(JSON.stringify(request))) as Reply;
}
