// Where the wallet is offered: in the top frame and in frames of the same origin, on pages that cannot be altered in transit.

type Frame = Pick<Window, "origin" | "location">;

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export function isOffered({ origin, location }: Frame): boolean {
  // A sandboxed frame has the address of its page and an opaque origin.
  if (origin === "null" || origin !== location.origin) return false;
  const { protocol, hostname, ancestorOrigins } = location;
  if (protocol !== "https:" && !(protocol === "http:" && LOOPBACK.includes(hostname))) return false;
  for (let i = 0; i < ancestorOrigins.length; i++) if (ancestorOrigins[i] !== origin) return false;
  return true;
}
