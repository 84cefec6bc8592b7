// Punycode (RFC 3492), the ASCII form of names with other letters. Only reading: the browser writes it.

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;

/** A host with each `xn--` label decoded; one that cannot be decoded stays as it is. */
export function toUnicode(host: string): string {
  const read = (label: string): string => (label.startsWith("xn--") ? (decode(label.slice(4)) ?? label) : label);
  return host.split(".").map(read).join(".");
}

function decode(text: string): string | undefined {
  const last = text.lastIndexOf("-");
  const output = last > 0 ? [...text.slice(0, last)].map((letter) => letter.codePointAt(0) ?? 0) : [];
  let [n, i, bias] = [128, 0, 72];
  for (let at = last > 0 ? last + 1 : 0; at < text.length; ) {
    const before = i;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text.charCodeAt(at));
      at += 1;
      if (digit === undefined || weight > 0x7fffffff) return undefined;
      i += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapt(i - before, length, before === 0);
    n += Math.floor(i / length);
    i %= length;
    if (n > 0x10ffff) return undefined;
    output.splice(i, 0, n);
    i += 1;
  }
  return String.fromCodePoint(...output);
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

function digitOf(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26;
  const letter = (code | 0x20) - 0x61;
  return letter >= 0 && letter < 26 ? letter : undefined;
}
