// Leave to talk to addresses that a person typed.

import { RequestError } from "../request";

/**
 * Local addresses are granted by the manifest; for any other the browser asks the person, once. Must be the first thing
 * after a press: the browser lets a page ask only then.
 */
export async function askToReach(...addresses: readonly string[]): Promise<void> {
  const origins = originsOf(addresses);
  if (origins.length > 0 && !(await chrome.permissions.request({ origins }))) {
    throw new RequestError(0, "permission_refused", "");
  }
}

/** What the browser is asked for. What is no address is left to the core, which says what is wrong with it. */
export function originsOf(addresses: readonly string[]): string[] {
  const remote = addresses.filter((address) => address.startsWith("https://") && URL.canParse(address));
  return [...new Set(remote.map((address) => `${new URL(address).origin}/*`))];
}
