// Host permissions for addresses that the user typed.

import { RequestError } from "../request";

/**
 * The manifest grants local addresses; for any other the browser asks the user, once. Must be the first call after a
 * press: the browser allows the request only then.
 */
export async function askToReach(...addresses: readonly string[]): Promise<void> {
  const origins = originsOf(addresses);
  if (origins.length > 0 && !(await chrome.permissions.request({ origins }))) {
    throw new RequestError(0, "permission_refused", "");
  }
}

/** The hosts to request. An invalid address is left to the core, which reports what is wrong. */
export function originsOf(addresses: readonly string[]): string[] {
  const remote = addresses.filter((address) => address.startsWith("https://") && URL.canParse(address));
  return [...new Set(remote.map((address) => `${new URL(address).origin}/*`))];
}
