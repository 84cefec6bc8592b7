// What the wallet tells a page about itself. Events are the differences between two states, so that none is lost when the
// worker dies between them.

/** An account of a chain family with wallet-standard features. */
export interface StandardAccount {
  readonly address: string;
  /** Hexadecimal digits. */
  readonly publicKey: string;
}

export interface PageState {
  readonly connected: boolean;
  /** Hexadecimal. */
  readonly chainId: string;
  readonly accounts: readonly string[];
  readonly solana: readonly StandardAccount[];
  readonly sui: readonly StandardAccount[];
  /** The scopes of the CAIP-25 session. */
  readonly sessions?: unknown;
}

export function sameAddresses(a: readonly { address: string }[], b: readonly { address: string }[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i]?.address !== b[i]?.address) return false;
  return true;
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
