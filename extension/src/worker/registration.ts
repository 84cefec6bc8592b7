// Which pages get the content script and the provider: those that the user wants, as far as the browser permits.

import type { PageSettings } from "../../generated/PageSettings";

type Script = chrome.scripting.RegisteredContentScript;

const LOOPBACK = ["http://127.0.0.1/*", "http://localhost/*"];
const EVERYWHERE = "https://*/*";
const CONTENT = "countersign-content";
const INPAGE = "countersign-inpage";

/** The match pattern of an origin. */
export const patternOf = (origin: string): string => `${origin}/*`;

/** Whether a pattern that the browser permits covers an origin. Its own settings make patterns of many forms. */
function covers(granted: string, origin: URL): boolean {
  if (granted === "<all_urls>") return true;
  const [, scheme = "", host = "", port] = /^(\*|https?):\/\/(\[[^\]]*\]|[^/:]*)(?::(\d+|\*))?\/\*$/.exec(granted) ?? [];
  if (scheme !== "*" && `${scheme}:` !== origin.protocol) return false;
  // A pattern without a port is for all of them.
  if (port !== undefined && port !== "*" && port !== portOf(origin)) return false;
  if (host === "*" || host === origin.hostname) return true;
  return host.startsWith("*.") && `.${origin.hostname}`.endsWith(host.slice(1));
}

const portOf = ({ port, protocol }: URL): string => (port !== "" ? port : protocol === "https:" ? "443" : "80");

/** What a permitted pattern permits of the pages that the wallet may be offered on. */
function pagesIn(granted: string): readonly string[] {
  if (granted === "<all_urls>" || granted === "*://*/*") return [...LOOPBACK, EVERYWHERE];
  if (LOOPBACK.includes(granted) || granted.startsWith("https://")) return [granted];
  return granted.startsWith("*://") ? [granted.replace("*", "https")] : [];
}

/** The pages that get the scripts, as match patterns. */
export function matchesOf({ mode, sites }: Pick<PageSettings, "mode" | "sites">, granted: readonly string[]): string[] {
  switch (mode) {
    case "off":
      return [];
    case "sites":
      return [...new Set(sites.filter(isPage))].filter((site) => granted.some((one) => covers(one, new URL(site)))).map(patternOf).sort();
    case "all": {
      const pages = [...new Set(granted.flatMap(pagesIn))];
      return pages.includes(EVERYWHERE) ? [...LOOPBACK.filter((one) => pages.includes(one)), EVERYWHERE] : pages.sort();
    }
  }
}

const isPage = (origin: string): boolean => /^https?:\/\//.test(origin) && URL.canParse(origin);

export function scriptsFor(settings: PageSettings, granted: readonly string[]): Script[] {
  const matches = matchesOf(settings, granted);
  if (matches.length === 0) return [];
  const common = { matches, allFrames: true, runAt: "document_start", persistAcrossSessions: true } as const;
  return [
    { ...common, id: CONTENT, js: ["content.js"], world: "ISOLATED" },
    { ...common, id: INPAGE, js: [inpageFile(settings)], world: "MAIN" },
  ] as Script[];
}

export const inpageFile = ({ setEthereum }: Pick<PageSettings, "setEthereum">): string =>
  setEthereum ? "inpage-ethereum.js" : "inpage.js";

/** One after another: two at once would register the same script twice. */
let applied: Promise<void> = Promise.resolve();

/** Makes the browser's scripts those of the settings. */
export function syncScripts(settings: () => Promise<PageSettings>): Promise<void> {
  applied = applied.then(() => sync(settings)).catch(() => {});
  return applied;
}

async function sync(settings: () => Promise<PageSettings>): Promise<void> {
  const [wanted, permissions, known] = await Promise.all([
    settings(),
    chrome.permissions.getAll(),
    chrome.scripting.getRegisteredContentScripts(),
  ]);
  const scripts = scriptsFor(wanted, permissions.origins ?? []);
  const isSame = ({ id, matches, js }: Script): boolean =>
    scripts.some((one) => one.id === id && String(one.matches) === String(matches) && String(one.js) === String(js));
  if (known.length === scripts.length && known.every(isSame)) return;
  if (known.length > 0) await chrome.scripting.unregisterContentScripts({ ids: known.map(({ id }) => id) });
  if (scripts.length > 0) await chrome.scripting.registerContentScripts(scripts);
}
