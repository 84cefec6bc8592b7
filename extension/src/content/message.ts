// Messages for the page, in our own form and in the one that pages with multichain sessions (CAIP-25) listen for.

export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Answer = { readonly result: unknown } | { readonly error: Failure };

/** The worker's answer without its id. */
export function answerOf(message: unknown): Answer {
  const { result, error } = message as { result?: unknown; error?: Failure };
  return error === undefined ? { result: result ?? null } : { error };
}

const caip = (data: object): object => ({
  target: "metamask-inpage",
  data: { name: "metamask-multichain-provider", data: { jsonrpc: "2.0", ...data } },
});

export const caipAnswer = (id: unknown, answer: Answer): object => caip({ id, ...answer });

export const caipNotice = (method: string, params: object): object => caip({ method, params });
