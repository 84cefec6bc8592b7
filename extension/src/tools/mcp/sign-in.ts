// Logs in at an MCP server, in a window of the browser.

import type { McpServer } from "../../../generated/McpServer";
import { beginServerSignIn, finishServerSignIn, getSignInOrigins } from "../../popup/mcp/api";
import { needsPassword } from "../../popup/password-gate";
import { RequestError } from "../../popup/request";
import { askToReach } from "../../popup/settings/reach";

/** One log-in. The service's page is shown once: with the password, {@link run} goes on from where it stopped. */
export class ServerSignIn {
  /** Where the browser came back to. */
  #back: string | undefined;

  constructor(private readonly server: Pick<McpServer, "id" | "url">) {}

  /** Must be the first call after a press: the browser asks for the host. */
  async run(password?: string): Promise<void> {
    const { id, url } = this.server;
    if (this.#back === undefined) {
      await askToReach(url);
      // The server names where it lets users log in.
      const origins = await getSignInOrigins(id);
      await askToReach(...origins);
      const { authorizationUrl, tokenUrl } = await beginServerSignIn(id, chrome.identity.getRedirectURL());
      // Some services give their tokens on another host.
      if (!origins.includes(new URL(tokenUrl).origin)) await askToReach(tokenUrl);
      this.#back = await decision(authorizationUrl);
    }
    try {
      await finishServerSignIn(id, this.#back, password);
      this.#back = undefined;
    } catch (error) {
      // Only the password is missing: what was decided at the service still holds.
      if (!needsPassword(error)) this.#back = undefined;
      throw error;
    }
  }
}

/** What the user decides at the service. */
async function decision(url: string): Promise<string> {
  const back = await chrome.identity.launchWebAuthFlow({ url, interactive: true }).catch(() => undefined);
  if (back === undefined) throw new RequestError(0, "sign_in_denied", "");
  return back;
}
