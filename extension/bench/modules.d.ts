// esbuild returns the text of the file.
declare module "*.proto" {
  const text: string;
  export default text;
}

// The peer's module without its key store, which needs a file system.
declare module "@trustwallet/wallet-core/dist/lib/wallet-core" {
  import type { WalletCore } from "@trustwallet/wallet-core/dist/src/wallet-core";
  export default function load(): Promise<WalletCore>;
}
