// Leaves the `Origin` header out of requests to a server that refuses extensions: by a rule of the browser, for that
// address only and for our own requests only.

import type { McpServer } from "../../../generated/McpServer";
import { getServers } from "../../popup/mcp/api";
import { RequestError } from "../../popup/request";
import { originsOf } from "../../popup/settings/reach";
import { applyOriginRules } from "../../worker/origin-rules";

const PERMISSION = "declarativeNetRequestWithHostAccess";

/** Asks for the permission to make such rules. Must be the first call after a press. */
export async function askForRules(url: string): Promise<void> {
  const isGranted = await chrome.permissions.request({ permissions: [PERMISSION], origins: originsOf([url]) });
  if (!isGranted) throw new RequestError(0, "permission_refused", "");
}

/** Makes the browser's rules fit the list of servers, and one more. Nothing where the user never asked for one. */
export async function fitOriginRules(without?: McpServer): Promise<void> {
  const servers = (await getServers()).map((server) => (server.id === without?.id ? { ...server, withoutOrigin: true } : server));
  await applyOriginRules(servers).catch(() => {
    throw new RequestError(0, "rule_not_taken", "");
  });
}
