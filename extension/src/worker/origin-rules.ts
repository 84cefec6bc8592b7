// Rules of the browser that leave the `Origin` header out of our requests to some MCP servers, which refuse those of
// extensions. The user chose each. They last as long as the browser runs.

/** A server, as far as a rule depends on it. */
interface Server {
  readonly url: string;
  readonly isEnabled: boolean;
  readonly withoutOrigin: boolean;
}

type Rule = chrome.declarativeNetRequest.Rule;

/** Chromium takes no rule before its next start if the permission is new: its promise then never settles. */
const PATIENCE_MILLIS = 2_500;

/** One rule for each server that wants one: for its address, and for requests of this extension only. */
export function originRules(servers: readonly Server[], extensionId: string): Rule[] {
  const addresses = servers.filter(({ withoutOrigin, isEnabled }) => withoutOrigin && isEnabled).flatMap(({ url }) => addressOf(url));
  return [...new Set(addresses)].map((address, i) => ({
    id: i + 1,
    priority: 1,
    action: { type: "modifyHeaders", requestHeaders: [{ header: "origin", operation: "remove" }] },
    condition: { urlFilter: `|${address}`, initiatorDomains: [extensionId], resourceTypes: ["xmlhttprequest", "other"] },
  })) as Rule[];
}

/** The address without its query; `*`, `^` and `|` would mean something else in a filter. */
function addressOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { origin, pathname } = new URL(url);
  const address = origin + pathname;
  return /[*^|]/.test(address) ? [] : [address];
}

/** Makes the browser's rules those of the servers. Nothing without the permission, which only the user's choice asks for. */
export async function applyOriginRules(servers: readonly Server[]): Promise<void> {
  // Absent without the permission.
  const rules = chrome.declarativeNetRequest as typeof chrome.declarativeNetRequest | undefined;
  if (!rules) return;
  const known = await rules.getSessionRules();
  const removeRuleIds = known.map(({ id }) => id);
  const addRules = originRules(servers, chrome.runtime.id);
  if (removeRuleIds.length === 0 && addRules.length === 0) return;
  await Promise.race([rules.updateSessionRules({ removeRuleIds, addRules }), tooLate()]);
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error("The browser took no rule.")), PATIENCE_MILLIS));
}

const APPLIED = "origin-rules";

/** Once after each start of the browser: its rules are gone with it. `servers` is asked only if there can be one. */
export async function restoreOriginRules(servers: () => Promise<readonly Server[]>): Promise<void> {
  if (!(chrome.declarativeNetRequest as unknown)) return;
  if ((await chrome.storage.session.get(APPLIED))[APPLIED] === true) return;
  await applyOriginRules(await servers());
  await chrome.storage.session.set({ [APPLIED]: true });
}
