// What the provider uses of the language and the browser, taken before the page's own scripts run: what a page replaces
// later is not used here. Arrays are walked by index, because an iterator could be replaced.

const { apply, getOwnPropertyDescriptor } = Reflect;
export const SafeNumber = Number;

export const { create, defineProperty, freeze, hasOwn, keys } = Object;
export const { isArray } = Array;
export const { parse, stringify } = JSON;
export const SafePromise = Promise;
export const Bytes = Uint8Array;
const { fromCharCode } = String;

type Method<T, A extends readonly unknown[], R> = (this: T, ...args: A) => R;

/** A method as a function that takes its object first. */
export function uncurried<T, A extends readonly unknown[], R>(method: Method<T, A, R>): (self: T, ...args: A) => R {
  return (self, ...args) => apply(method, self, args) as R;
}

/** A getter as a function. */
function reader<T extends object, K extends keyof T & string>(prototype: T, name: K): (self: T) => T[K] {
  const get = getOwnPropertyDescriptor(prototype, name)?.get as (this: T) => T[K];
  return (self) => apply(get, self, []) as T[K];
}

export const sourceOf = reader(MessageEvent.prototype, "source");
export const dataOf = reader(MessageEvent.prototype, "data");
const charCodeAt = uncurried(String.prototype.charCodeAt);
const copy = uncurried(Uint8Array.prototype.slice);
const post = window.postMessage.bind(window) as (message: unknown, target: string) => void;
const encode = window.btoa.bind(window);
const decode = window.atob.bind(window);
const report = window.reportError.bind(window);
const addListener = window.addEventListener.bind(window);
const dispatch = window.dispatchEvent.bind(window);
export const SafeCustomEvent = CustomEvent;
export const SafeEvent = Event;
const { origin } = location;

/** A message for this window only. */
export const send = (message: object): void => post(message, origin);

export const listen = (type: string, work: (event: Event) => void): void => addListener(type, work);
export const fire = (event: Event): void => void dispatch(event);

/** Calls a function of the page. What it throws is the page's own error. */
export function call(work: (...args: never[]) => unknown, args: readonly unknown[]): void {
  try {
    apply(work, undefined, args);
  } catch (error) {
    report(error);
  }
}

/** A copy, so that the page cannot change ours. */
export const copyOf = (bytes: Uint8Array): Uint8Array => copy(bytes);

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += fromCharCode(bytes[i] as number);
  return encode(text);
}

export function fromBase64(text: string): Uint8Array {
  const binary = decode(text);
  const bytes = new Bytes(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = charCodeAt(binary, i);
  return bytes;
}

/** Hexadecimal digits, two for each byte. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Bytes(text.length >> 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = SafeNumber(`0x${text[2 * i]}${text[2 * i + 1]}`);
  return bytes;
}

/** A random UUID. Where a page is not trusted with one, the wallet is not offered. */
export const uuid = (): string => ("randomUUID" in crypto ? crypto.randomUUID() : "");
