// The host of a URL template, as the list of allowed hosts names it. The core decides; this only knows what to ask for.

/** The entry that allows a template's host; none if a placeholder forms the host. */
export function hostEntry(urlTemplate: string): string | undefined {
  const authority = /^(https?:)\/\/([^/?#\\]*)/i.exec(urlTemplate.trim());
  if (!authority || authority[2] === "" || authority[2]?.includes("${")) return undefined;
  const address = `${authority[1]}//${authority[2]}/`;
  if (!URL.canParse(address)) return undefined;
  // `host` has the port only if it is not the scheme's own, and the name in punycode.
  return new URL(address).host;
}

/** The address whose host the browser is asked for. */
export function reachable(urlTemplate: string): string | undefined {
  const entry = hostEntry(urlTemplate);
  const scheme = /^https?:/i.exec(urlTemplate.trim())?.[0].toLowerCase();
  return entry === undefined || scheme === undefined ? undefined : `${scheme}//${entry}/`;
}

/** Whether a list of allowed hosts has the host already. */
export function isAllowed(allowed: readonly string[], entry: string): boolean {
  return allowed.some((one) => {
    const known = one.toLowerCase();
    if (known === entry) return true;
    return known.startsWith("*.") && entry.endsWith(known.slice(1)) && entry.length > known.length - 1;
  });
}
