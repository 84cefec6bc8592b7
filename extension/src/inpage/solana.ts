// The Solana features of the Wallet Standard. Bytes travel as base64.

import { request } from "./channel";
import { freeze, fromBase64, toBase64 } from "./safe";
import type { Connect, Family, Feature, StandardAccountView } from "./standard";

interface Input {
  readonly account?: { readonly address: string };
  readonly chain?: string;
  readonly transaction?: Uint8Array;
  readonly message?: Uint8Array;
  readonly options?: object;
}

type Output = Readonly<Record<string, string>>;

const VERSIONS = freeze(["legacy", 0]);

/** One input as the wallet takes it. */
function written({ account, chain, transaction, message, options }: Input): object {
  return {
    account: account?.address,
    chain,
    options,
    ...(transaction && { transaction: toBase64(transaction) }),
    ...(message && { message: toBase64(message) }),
  };
}

/** Takes any number of inputs, and gives as many outputs, whose fields are bytes. */
function variadic(method: string): (...inputs: readonly Input[]) => Promise<readonly object[]> {
  return async (...inputs) => {
    const params: object[] = [];
    for (let i = 0; i < inputs.length; i++) params[i] = written(inputs[i] as Input);
    if (params.length === 0) return [];
    return bytesOf((await request(method, params)) as readonly Output[]);
  };
}

const FIELDS = freeze(["signedTransaction", "signedMessage", "signature"]);

function bytesOf(outputs: readonly Output[]): object[] {
  const all: object[] = [];
  for (let i = 0; i < outputs.length; i++) {
    const bytes: Record<string, unknown> = { ...(outputs[i] as Output) };
    for (let k = 0; k < FIELDS.length; k++) {
      const text = bytes[FIELDS[k] as string];
      if (typeof text === "string") bytes[FIELDS[k] as string] = fromBase64(text);
    }
    all[i] = bytes;
  }
  return all;
}

/** Signing in connects as well. Its inputs are texts; each output has the account that signed in. */
function signIn(connect: Connect): (...inputs: readonly object[]) => Promise<readonly object[]> {
  return async (...inputs) => {
    const { accounts } = await connect();
    const given = (await request("solana_signIn", inputs.length === 0 ? [{}] : inputs)) as readonly Output[];
    const outputs = bytesOf(given) as { account?: unknown }[];
    for (let i = 0; i < outputs.length; i++) {
      const output = outputs[i] as { account?: unknown };
      const { address } = output.account as StandardAccountView;
      for (let k = 0; k < accounts.length; k++) if (accounts[k]?.address === address) output.account = accounts[k];
    }
    return outputs;
  };
}

export const solana: Family = {
  name: "solana",
  // A local network is taken where the user's own node is on this machine; on others the wallet is not.
  chains: ["solana:mainnet", "solana:localnet"],
  features: (connect): Readonly<Record<string, Feature>> => ({
    "solana:signTransaction": freeze({
      version: "1.0.0",
      supportedTransactionVersions: VERSIONS,
      signTransaction: variadic("solana_signTransaction"),
    }),
    "solana:signAndSendTransaction": freeze({
      version: "1.0.0",
      supportedTransactionVersions: VERSIONS,
      signAndSendTransaction: variadic("solana_signAndSendTransaction"),
    }),
    "solana:signMessage": freeze({ version: "1.0.0", signMessage: variadic("solana_signMessage") }),
    "solana:signIn": freeze({ version: "1.0.0", signIn: signIn(connect) }),
  }),
};
