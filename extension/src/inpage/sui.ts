// The Sui features of the Wallet Standard. Bytes travel as base64, as they do in Sui's own interface.

import { request } from "./channel";
import { freeze, toBase64 } from "./safe";
import type { Family, Feature } from "./standard";

interface Input {
  readonly account?: { readonly address: string };
  readonly chain?: string;
  readonly message?: Uint8Array;
  readonly transaction?: { toJSON(): Promise<string> } | string;
}

/** A transaction is built by the page's own library, which gives it as text: JSON, or base64 of its bytes. */
async function written({ account, chain, message, transaction }: Input): Promise<object> {
  return {
    account: account?.address,
    chain,
    ...(message && { message: toBase64(message) }),
    ...(transaction && { transaction: typeof transaction === "string" ? transaction : await transaction.toJSON() }),
  };
}

const single =
  (method: string) =>
  async (input: Input): Promise<unknown> =>
    request(method, await written(input));

export const sui: Family = {
  name: "sui",
  // A local network is taken where the user's own node is on this machine; on others the wallet is not.
  chains: ["sui:mainnet", "sui:localnet"],
  features: (): Readonly<Record<string, Feature>> => ({
    "sui:signPersonalMessage": freeze({ version: "1.1.0", signPersonalMessage: single("sui_signPersonalMessage") }),
    "sui:signTransaction": freeze({ version: "2.0.0", signTransaction: single("sui_signTransaction") }),
    "sui:signAndExecuteTransaction": freeze({
      version: "2.0.0",
      signAndExecuteTransaction: single("sui_signAndExecuteTransaction"),
    }),
  }),
};
