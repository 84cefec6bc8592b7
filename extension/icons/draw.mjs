// Draws mark.svg's shapes as the PNGs that the manifest names. Run after a change of the mark; the PNGs are committed.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const INK = [0x2a, 0x46, 0xc9];
const CHECK = {
  points: [
    [32, 54],
    [54, 76],
    [98, 28],
  ],
  width: 14,
  opacity: 1,
};
const LINE = {
  points: [
    [32, 101],
    [96, 101],
  ],
  width: 10,
  opacity: 0.55,
};
const SAMPLES = 8;

function insideSquare(x, y, side, radius) {
  const dx = Math.max(radius - x, x - (side - radius), 0);
  const dy = Math.max(radius - y, y - (side - radius), 0);
  return Math.hypot(dx, dy) <= radius;
}

function distanceToSegment(x, y, [ax, ay], [bx, by]) {
  const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2);
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(x - (ax + t * (bx - ax)), y - (ay + t * (by - ay)));
}

function onStroke(x, y, { points, width }) {
  return points.slice(1).some((point, i) => distanceToSegment(x, y, points[i], point) <= width / 2);
}

/** Colour and cover of one point of the 128-unit drawing. */
function at(x, y) {
  if (!insideSquare(x, y, 128, 28)) return undefined;
  const white = onStroke(x, y, CHECK) ? CHECK.opacity : onStroke(x, y, LINE) ? LINE.opacity : 0;
  return INK.map((channel) => channel + (255 - channel) * white);
}

function pixel(column, row, size) {
  const sum = [0, 0, 0];
  let hits = 0;
  for (let i = 0; i < SAMPLES ** 2; i++) {
    const x = ((column + ((i % SAMPLES) + 0.5) / SAMPLES) / size) * 128;
    const y = ((row + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES) / size) * 128;
    const colour = at(x, y);
    if (!colour) continue;
    hits++;
    colour.forEach((channel, c) => (sum[c] += channel));
  }
  return [...sum.map((channel) => Math.round(channel / (hits || 1))), Math.round((255 * hits) / SAMPLES ** 2)];
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function png(size) {
  const rows = Array.from({ length: size }, (_, row) => [
    0,
    ...Array.from({ length: size }, (_, column) => pixel(column, row, size)).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = deflateSync(Buffer.from(rows.flat()), { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

for (const size of [16, 32, 48, 128]) writeFileSync(join(import.meta.dirname, `${size}.png`), png(size));
