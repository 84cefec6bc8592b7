// The Sui features of the Wallet Standard. Bytes travel as base64, as they do in Sui's own interface.

import { request } from "./channel";
import { freeze, toBase64 } from "./safe";
import type { Family, Feature } from "./standard";

interface Input {
  readonly account?: { readonly address: string };
  readonly chain?: string;
  readonly message?: Uint8Array;
  readonly transaction?: { toJSON(): Promise<string> };
}

/** A transaction is built by the page's own library, which gives it as text. */
async function written({ account, chain, message, transaction }: Input): Promise<object> {
  return {
    account: account?.address,
    chain,
    ...(message && { message: toBase64(message) }),
    ...(transaction && { transaction: await transaction.toJSON() }),
  };
}

const single =
  (method: string) =>
  async (input: Input): Promise<unknown> =>
    request(method, await written(input));

export const sui: Family = {
  name: "sui",
  chains: ["sui:mainnet", "sui:testnet", "sui:devnet", "sui:localnet"],
  features: (): Readonly<Record<string, Feature>> => ({
    "sui:signPersonalMessage": freeze({ version: "1.1.0", signPersonalMessage: single("sui_signPersonalMessage") }),
    "sui:signTransaction": freeze({ version: "2.0.0", signTransaction: single("sui_signTransaction") }),
    "sui:signAndExecuteTransaction": freeze({
      version: "2.0.0",
      signAndExecuteTransaction: single("sui_signAndExecuteTransaction"),
    }),
  }),
};
