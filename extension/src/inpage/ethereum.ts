// The EIP-1193 provider, and its announcement by EIP-6963.

import { gone, request, SESSION, watch } from "./channel";
import { Emitter, type Listener } from "./emitter";
import { INVALID_REQUEST, ProviderRpcError } from "./error";
import { call, defineProperty, fire, freeze, listen, SafeCustomEvent, SafeNumber, SafePromise, stringify } from "./safe";
import { sameTexts, type PageState } from "./state";

interface RequestArguments {
  readonly method?: unknown;
  readonly params?: unknown;
}

type Callback = (error: unknown, answer?: unknown) => void;

const emitter = new Emitter();
let last: PageState | undefined;
let isGone = false;

function ask(args: unknown): Promise<unknown> {
  try {
    const { method, params } = args as RequestArguments;
    if (typeof method !== "string" || method === "") return refuse("The request needs a method.");
    if (params !== undefined && (typeof params !== "object" || params === null)) {
      return refuse("The parameters of a request are a list or an object.");
    }
    return isGone ? SafePromise.reject(gone()) : request(method, params);
  } catch {
    return refuse("The request must be an object with a method.");
  }
}

const refuse = (message: string): Promise<never> =>
  SafePromise.reject(new ProviderRpcError(INVALID_REQUEST, message));

/** The forms from before EIP-1193 that libraries still use. */
async function sendAsync(payload: { id?: unknown; method?: unknown; params?: unknown }, done: Callback): Promise<void> {
  const envelope = { id: payload?.id, jsonrpc: "2.0" };
  try {
    const result = await ask(payload);
    call(done, [null, { ...envelope, result }]);
  } catch (error) {
    const { code, message, data } = error as ProviderRpcError;
    call(done, [error, { ...envelope, error: { code, message, data } }]);
  }
}

export const provider = freeze({
  isCountersign: true,
  request: (args: unknown): Promise<unknown> => ask(args),
  isConnected: (): boolean => !isGone,
  enable: (): Promise<unknown> => ask({ method: "eth_requestAccounts" }),
  send(method: unknown, more?: unknown): unknown {
    if (typeof more === "function") return void sendAsync(method as object, more as Callback);
    return typeof method === "string" ? ask({ method, params: more ?? [] }) : ask(method);
  },
  sendAsync: (payload: object, done: Callback): void => void sendAsync(payload, done),
  on: (name: string, listener: Listener) => listening(() => emitter.add(name, listener)),
  once: (name: string, listener: Listener) => listening(() => emitter.add(name, listener, true)),
  addListener: (name: string, listener: Listener) => listening(() => emitter.add(name, listener)),
  off: (name: string, listener: Listener) => listening(() => emitter.remove(name, listener)),
  removeListener: (name: string, listener: Listener) => listening(() => emitter.remove(name, listener)),
  removeAllListeners: (name: string) => listening(() => emitter.remove(name)),
  listenerCount: (name: string): number => emitter.count(name),
});

function listening(change: () => void): unknown {
  change();
  return provider;
}

/** The first state of a page is where it starts from: only what differs from it later is an event. */
function changed(state: PageState | null): void {
  if (state === null) {
    isGone = true;
    return emitter.emit("disconnect", gone());
  }
  const before = last;
  last = state;
  const { chainId, accounts, connected } = state;
  if (connected && !before?.connected) emitter.emit("connect", { chainId });
  if (!before) return;
  if (before.chainId !== chainId) {
    emitter.emit("chainChanged", chainId);
    emitter.emit("networkChanged", `${SafeNumber(chainId)}`);
  }
  if (!sameTexts(before.accounts, accounts)) emitter.emit("accountsChanged", accounts);
  if (stringify(before.sessions) !== stringify(state.sessions)) {
    emitter.emit("wallet_sessionChanged", { sessionScopes: state.sessions });
  }
  if (before.connected && !connected) emitter.emit("disconnect", gone());
}

export function startEthereum(icon: string, setEthereum: boolean): void {
  const info = freeze({ uuid: SESSION, name: "Countersign", icon, rdns: "dev.countersign" });
  const announce = (): void =>
    fire(new SafeCustomEvent("eip6963:announceProvider", { detail: freeze({ info, provider }) }));
  watch(changed);
  listen("eip6963:requestProvider", announce);
  announce();
  if (setEthereum && !("ethereum" in window)) {
    // Another wallet may still put itself here: the page's user chose both.
    defineProperty(window, "ethereum", { value: provider, configurable: true, enumerable: true, writable: true });
    fire(new SafeCustomEvent("ethereum#initialized"));
  }
}
