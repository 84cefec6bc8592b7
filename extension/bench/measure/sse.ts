// The decoder compared with `eventsource-parser`: bytes in, events counted. Both must give identical events.

import { createParser } from "eventsource-parser";
import { Sse } from "../../generated/harness/harness.js";
import { same, timed, type Millis } from "./statistics";
import { agentStream, cut } from "./stream";

export interface Decoding {
  bytes: number;
  chunk: number;
  events: number;
  ours: Millis[];
  peer: Millis[];
}

interface Count {
  events: number;
  /** Length of all data: bytes for ours, UTF-16 units for the peer, as each provides it. */
  length: number;
}

export async function measureSse(bytes: number, chunk: number, rounds: number): Promise<Decoding> {
  const stream = agentStream(bytes);
  const chunks = cut(stream, chunk);
  const [oursExpected, peerExpected] = verify(chunks);
  const ours: Millis[] = [];
  const peer: Millis[] = [];
  for (let round = -2; round < rounds; round++) {
    const [oursTime, oursCount] = await timed(() => decodeOurs(chunks));
    const [peerTime, peerCount] = await timed(() => decodePeer(chunks));
    same("counts of ours", oursCount, oursExpected);
    same("counts of the peer", peerCount, peerExpected);
    if (round < 0) continue;
    ours.push(oursTime);
    peer.push(peerTime);
  }
  return { bytes: stream.length, chunk, events: oursExpected.events, ours, peer };
}

function decodeOurs(chunks: Uint8Array[]): Count {
  const sse = new Sse();
  for (const chunk of chunks) sse.push(chunk);
  const count = { events: sse.events, length: sse.bytes };
  sse.free();
  return count;
}

function decodePeer(chunks: Uint8Array[]): Count {
  const count = { events: 0, length: 0 };
  const utf8 = new TextDecoder();
  const parser = createParser({
    onEvent({ data }) {
      count.events++;
      count.length += data.length;
    },
  });
  for (const chunk of chunks) parser.feed(utf8.decode(chunk, { stream: true }));
  return count;
}

/** Compares every event in full. Returns the counts that each side must reach. */
function verify(chunks: Uint8Array[]): [ours: Count, peer: Count] {
  const sse = new Sse();
  const written = chunks.map((chunk) => sse.collect(chunk)).join("");
  sse.free();
  const parts: string[] = [];
  const data: string[] = [];
  let id = "";
  const utf8 = new TextDecoder();
  const parser = createParser({
    onEvent(event) {
      // The peer sets an id only on the event that has one; by the standard the last id persists.
      id = event.id ?? id;
      parts.push(event.event ?? "message", "\0", id, "\0", event.data, "\0");
      data.push(event.data);
    },
  });
  for (const chunk of chunks) parser.feed(utf8.decode(chunk, { stream: true }));
  if (parts.join("") !== written) throw new Error("the decoders do not give the same events");
  const all = data.join("");
  return [
    { events: data.length, length: new TextEncoder().encode(all).length },
    { events: data.length, length: all.length },
  ];
}
