// The same requests to both modules, which must give the same answers.

import load from "@trustwallet/wallet-core/dist/lib/wallet-core";
import type { WalletCore } from "@trustwallet/wallet-core/dist/src/wallet-core";
import init, * as ours from "../../generated/all-chains/all-chains.js";
import { fetchBytes, served } from "./module";
import { bitcoin, ethereum, solana, type Question } from "./payload";
import { hex, same, timed, type Millis } from "./statistics";
import { peerAddresses, VAULT } from "./vault";

export interface Row {
  what: string;
  ours: Millis[];
  peer: Millis[];
}

export interface Instantiation {
  oursBytes: number;
  peerBytes: number;
  ours: Millis;
  peer: Millis;
}

/** Repeated, because the clock is coarse. */
const REPEAT = 20;

/** Once per page: the browser would reuse compiled code. */
export async function measureInstantiation(): Promise<Instantiation> {
  const [oursModule, peerModule] = await Promise.all([fetchBytes("all-chains.wasm"), fetchBytes("wallet-core.wasm")]);
  const [peerTime] = await timed(() => loadPeer(peerModule));
  const [oursTime] = await timed(() => init({ module_or_path: served(oursModule) }));
  return { oursBytes: oursModule.byteLength, peerBytes: peerModule.byteLength, ours: oursTime, peer: peerTime };
}

export async function measureChains(rounds: number): Promise<Row[]> {
  const [oursModule, peerModule] = await Promise.all([fetchBytes("all-chains.wasm"), fetchBytes("wallet-core.wasm")]);
  await init({ module_or_path: served(oursModule) });
  const core = await loadPeer(peerModule);
  const rows: Row[] = [];
  for (const [what, left, right, repeat] of questions(core)) {
    rows.push({ what, ...(await race(left, right, repeat, rounds)) });
  }
  return rows;
}

type Race = [what: string, ours: () => unknown, peer: () => unknown, repeat: number];

function questions(core: WalletCore): Race[] {
  const secret = new Uint8Array(32).fill(7);
  const message = new Uint8Array(32).fill(9);
  const large = new Uint8Array(100_000).map((_, index) => index);
  const key = core.PrivateKey.createWithData(secret);
  const [ecdsa, eddsa] = [ours.Key.secp256k1(secret), ours.Key.ed25519(secret)];
  const payloads: Question[] = [ethereum(core), bitcoin(core), solana(core)];
  for (const { what, ours, peer } of payloads) same(`hashes of ${what}`, ours(), peer());
  const { secp256k1, ed25519 } = core.Curve;
  same("ECDSA", hex(ecdsa.sign_digest(message)), hex(key.sign(message, secp256k1).slice(0, 64)));
  same("Ed25519", hex(eddsa.sign_message(message)), hex(key.sign(message, ed25519)));
  same("Keccak", hex(ours.keccak256(large)), hex(core.Hash.keccak256(large)));
  const peer = peerAddresses(core);
  const addresses = () => ours.addresses(VAULT.ecdsa, VAULT.eddsa, VAULT.chainCode);
  same("number of addresses", addresses().trimEnd().split("\n").length, peer().length);
  return [
    ["38 addresses of a vault", addresses, peer, 1],
    ...payloads.map(({ what, ours, peer }): Race => [`${what}: payload to hashes`, ours, peer, REPEAT]),
    ["secp256k1 signature", () => ecdsa.sign_digest(message), () => key.sign(message, secp256k1), REPEAT],
    ["Ed25519 signature", () => eddsa.sign_message(message), () => key.sign(message, ed25519), REPEAT],
    ["Keccak-256 of 100 kB", () => ours.keccak256(large), () => core.Hash.keccak256(large), REPEAT],
  ];
}

/** Time of one call, in batches of several calls, the two sides in turn. */
async function race(left: () => unknown, right: () => unknown, repeat: number, rounds: number) {
  const times: { ours: Millis[]; peer: Millis[] } = { ours: [], peer: [] };
  const many = (work: () => unknown) => {
    for (let count = 0; count < repeat; count++) work();
  };
  for (let round = -3; round < rounds; round++) {
    const [oursTime] = await timed(() => many(left));
    const [peerTime] = await timed(() => many(right));
    if (round < 0) continue;
    times.ours.push(oursTime / repeat);
    times.peer.push(peerTime / repeat);
  }
  return times;
}

/** The peer fetches its module itself: it gets the bytes that are already here. */
async function loadPeer(module: ArrayBuffer): Promise<WalletCore> {
  const { fetch } = globalThis;
  globalThis.fetch = async () => served(module);
  try {
    return await load();
  } finally {
    globalThis.fetch = fetch;
  }
}
