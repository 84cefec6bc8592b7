// An origin that cannot deceive: every letter of it, in the spelling that the browser uses, with the part that its owner
// had to register set apart. Names with letters beyond ASCII stay in punycode; what they read as stands beside it.

import { h } from "./element";
import { t } from "./i18n";
import { plain } from "./plain";
import { toUnicode } from "./punycode";

/** The pieces of an origin, which together are the origin. */
export interface OriginParts {
  /** `https://` */
  readonly scheme: string;
  /** What its owner can choose freely: `app.` */
  readonly sub: string;
  /** What had to be registered: `example.com` */
  readonly main: string;
  /** `:8443` */
  readonly port: string;
  /** What the name reads as, if it is in punycode. */
  readonly reads?: string;
  /** Whether the name mixes alphabets, so that letters may stand in for others. */
  readonly isMixed: boolean;
}

/** Names under which anyone can have one: the label before belongs to the site. */
const SHARED = [
  ...["co", "com", "org", "net", "gov", "edu", "ac", "or", "ne", "go", "gob", "nom", "ltd", "plc", "me", "id", "gen", "firm"],
];
const SHARED_HOSTS = [
  ...["github.io", "gitlab.io", "vercel.app", "netlify.app", "pages.dev", "workers.dev", "web.app", "firebaseapp.com"],
  ...["herokuapp.com", "onrender.com", "fly.dev", "surge.sh", "glitch.me", "repl.co", "replit.app", "blogspot.com"],
  ...["azurewebsites.net", "cloudfront.net", "amazonaws.com", "ngrok.io", "ngrok-free.app", "trycloudflare.com"],
  ...["eth.limo", "eth.link", "ipfs.dweb.link", "ipfs.io", "fleek.co", "on-fleek.app", "4everland.app", "weebly.com", "wixsite.com"],
];

export function originParts(origin: string): OriginParts {
  const match = /^([a-z][a-z0-9+.-]*:\/\/)(\[[0-9a-f:]*\]|[a-z0-9._-]+)(:\d+)?$/.exec(origin);
  if (!match) return { scheme: "", sub: "", main: plain(origin), port: "", isMixed: false };
  const [, scheme = "", host = "", port = ""] = match;
  const [sub, main] = registrable(host);
  const reads = toUnicode(host);
  return { scheme, sub, main, port, ...(reads === host ? {} : { reads }), isMixed: isMixed(reads) };
}

/** A name in two: what is free to choose, and what was registered. */
export function registrable(host: string): readonly [sub: string, main: string] {
  if (host.startsWith("[") || /^[\d.]+$/.test(host)) return ["", host];
  const labels = host.split(".");
  const shared = SHARED_HOSTS.find((name) => host.endsWith(`.${name}`));
  const [second = "", top = ""] = labels.slice(-2);
  const suffix = shared ? shared.split(".").length : top.length === 2 && SHARED.includes(second) ? 2 : 1;
  const main = labels.slice(-suffix - 1).join(".");
  return [host.slice(0, host.length - main.length), main];
}

const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u, /\p{Script=Hebrew}/u, /\p{Script=Arabic}/u];

/** Whether one label has letters of several alphabets, or letters that only look like Latin ones under a Latin ending. */
function isMixed(name: string): boolean {
  const labels = name.split(".");
  if (labels.some((label) => ALPHABETS.filter((alphabet) => alphabet.test(label)).length > 1)) return true;
  const ending = labels.at(-1) ?? "";
  return /^[a-z]+$/.test(ending) && labels.some((label) => LOOKS_LATIN.test(label));
}

/** A label made only of Cyrillic letters that look like Latin ones. */
const LOOKS_LATIN = /^[аеорсухѕіјһԁԛԝѵӏ0-9-]*[аеорсухѕіјһԁԛԝѵӏ][аеорсухѕіјһԁԛԝѵӏ0-9-]*$/u;

/** The origin large, as the header of what it asks for. */
export function originHeader(origin: string): HTMLElement {
  const { scheme, sub, main, port, reads, isMixed } = originParts(origin);
  return h(
    "div",
    { class: "origin-header" },
    h(
      "p",
      { class: "origin", dir: "ltr", translate: "no", "data-testid": "prompt-origin" },
      h("span", { class: "origin-aside" }, scheme),
      h("span", { class: "origin-aside" }, sub),
      h("strong", {}, main),
      h("span", { class: "origin-aside" }, port),
    ),
    scheme === "http://" && h("p", { class: "hint" }, t("sites_on_this_machine")),
    reads !== undefined &&
      h("p", { class: "origin-reads", "data-testid": "origin-reads" }, t("sites_reads_as"), " ", h("bdi", { dir: "ltr" }, plain(reads))),
    isMixed && h("p", { class: "warning", role: "alert", "data-testid": "origin-mixed" }, t("sites_mixed")),
  );
}

/** The same in a line of a list. */
export function originLine(origin: string): HTMLElement {
  const { scheme, sub, main, port, reads } = originParts(origin);
  return h(
    "span",
    { class: "origin-line", dir: "ltr", translate: "no" },
    h("span", { class: "origin-aside" }, scheme + sub),
    h("strong", {}, main),
    h("span", { class: "origin-aside" }, port),
    reads !== undefined && h("span", { class: "muted small" }, " ", h("bdi", { dir: "ltr" }, plain(reads))),
  );
}
