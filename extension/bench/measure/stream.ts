// A stream as an agent sends it: mostly text, sometimes actions of some kilobytes, keep-alive comments, and both line
// endings.

import { pseudoRandom } from "./statistics";

const WORDS = ["the", "bridge", "takes", "about", "ten", "minutes", "and", "costs", "0.42 €", "—", "swap", "👍", "Größe"];

/** At least `bytes` bytes of complete events. */
export function agentStream(bytes: number): Uint8Array {
  const random = pseudoRandom(1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const hex = (length: number): string => Array.from({ length }, () => pick([..."0123456789abcdef"])).join("");
  const utf8 = new TextEncoder();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let id = 1; length < bytes; id++) {
    const end = Math.floor(id / 500) % 4 === 3 ? "\r\n" : "\n";
    const lines: string[] = [];
    if (id % 50 === 0) lines.push(": keep-alive", "");
    lines.push(`id: ${id}`);
    if (id % 40 === 0) lines.push("event: actions", `data: ${JSON.stringify(actions(id, pick, hex))}`);
    else if (id % 97 === 0) lines.push("event: message", "data: several", "data: lines", "data:");
    else lines.push("event: text_delta", `data: ${JSON.stringify({ delta: words(pick, 1 + Math.floor(random() * 8)) })}`);
    lines.push("", "");
    const part = utf8.encode(lines.join(end));
    parts.push(part);
    length += part.length;
  }
  const stream = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    stream.set(part, at);
    at += part.length;
  }
  return stream;
}

/** The stream in separate arrays, as `fetch` gives them. */
export function cut(stream: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < stream.length; at += size) chunks.push(stream.slice(at, at + size));
  return chunks;
}

type Pick = <T>(list: readonly T[]) => T;

function words(pick: Pick, count: number): string {
  return Array.from({ length: count }, () => `${pick(WORDS)} `).join("");
}

function actions(id: number, pick: Pick, hex: (length: number) => string): unknown {
  const transactions = Array.from({ length: 1 + (id % 5) }, (_, sequence) => ({
    sequence,
    chain: pick(["Ethereum", "Arbitrum", "Base"]),
    label: words(pick, 6),
    tx_data: { to: `0x${hex(40)}`, value: "0", data: `0x${hex(8 + 64 * (4 + (id % 9)))}` },
  }));
  return { actions: [{ id: `a${id}`, type: "sign_transaction_bundle", title: words(pick, 4), params: { transactions } }] };
}
