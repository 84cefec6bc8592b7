/** What a wallet begins with. */
export interface WalletOptions {
  /** The unpacked extension; by default what COUNTERSIGN_EXTENSION names, or dist/extension of the project. */
  extension?: string;
  headless?: boolean;
  phrase?: string;
  password?: string;
  /** The chains that get a node, by the wallet's name: `{ Ethereum: 1, Arbitrum: 42161 }`. */
  chains?: Record<string, number>;
  /** Whether pages find the wallet at `window.ethereum` too. */
  setEthereum?: boolean;
}

/** A wallet as a user of dapps has it: a vault that is unlocked and funded, open to web pages. */
export class Wallet {
  static launch(options?: WalletOptions): Promise<Wallet>;
  /** The vault's account on every EVM chain. */
  readonly address: string;
  readonly node: Anvil;
  readonly nodes: Record<string, Anvil>;
  openDapp(url: string): Promise<Dapp>;
  /** Waits for the wallet's window with a prompt that was not answered yet. */
  prompt(): Promise<Tab>;
  approve(): Promise<void>;
  reject(): Promise<void>;
  windows(): Promise<Tab[]>;
  killWorker(): Promise<boolean>;
  api(method: string, path: string, body?: unknown): Promise<unknown>;
  revoke(origin: string): Promise<void>;
  extensionUrl(path: string): string;
  end(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A tab of the browser. */
export interface Tab {
  url(): Promise<string>;
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  close(): Promise<void>;
  run(body: string, ...args: unknown[]): Promise<any>;
  cdp(command: string, params?: object): Promise<any>;
  press(selector: string): Promise<true>;
  write(selector: string, text: string): Promise<void>;
  text(selector: string): Promise<string | null>;
  textThat(selector: string, passes: (text: string) => boolean): Promise<string>;
}

/** A page that talks to the wallet. */
export interface Dapp extends Pick<Tab, "press" | "write" | "text" | "textThat" | "run" | "reload" | "goto" | "close"> {
  readonly tab: Tab;
  hasProvider(): Promise<boolean>;
  begin(method: string, params?: unknown): Promise<Begun>;
  request(method: string, params?: unknown): Promise<any>;
  events(): Promise<{ name: string; data: any }[]>;
  waitForStatus(id: string, status: 100 | 200 | 400 | 500 | 600): Promise<any>;
}

/** A request that was sent and not awaited. */
export interface Begun {
  answers(): Promise<number>;
  answer(): Promise<any>;
}

/** The wallet refused a request of a page. */
export class RpcError extends Error {
  readonly code: number;
  readonly data?: unknown;
}

/** A running node. */
export class Anvil {
  static start(chainId?: number): Promise<Anvil>;
  readonly url: string;
  readonly chainId: number;
  rpc(method: string, params?: unknown[]): Promise<any>;
  balance(address: string): Promise<bigint>;
  setBalance(address: string, wei: bigint | number): Promise<void>;
  setAutomine(automine: boolean): Promise<void>;
  mine(): Promise<void>;
  receipt(hash: string): Promise<any>;
  stop(): void;
}

/** Serves the files of a folder on a free port of 127.0.0.1. */
export function serve(folder: string): Promise<{ origin: string; url(path: string): string; end(): Promise<void> }>;
export function until<T>(what: string, look: () => Promise<T>, timeout?: number): Promise<T>;
export const PHRASE: string;
export const PASSWORD: string;
export const TIMEOUT: number;
