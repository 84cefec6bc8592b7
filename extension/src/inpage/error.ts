// Errors as EIP-1193 has them.

/** Codes that are made here; all others come from the wallet. */
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const DISCONNECTED = 4900;

export class ProviderRpcError extends Error {
  declare readonly data?: unknown;

  constructor(
    readonly code: number,
    message: string,
    data?: unknown,
  ) {
    super(message);
    if (data !== undefined) this.data = data;
  }
}
