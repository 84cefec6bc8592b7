// Logs a saved tool in at its OAuth 2 service, in a window of the browser.

import { needsPassword } from "../popup/password-gate";
import { askToReach } from "../popup/settings/reach";
import { RequestError } from "../popup/request";
import { beginSignIn, finishSignIn, getAllowedHosts, getSignIn, setAllowedHosts, signOut } from "./api";
import { httpOf } from "./draft";
import { hostEntry, isAllowed } from "./host";
import type { Auth, Tool } from "./types";

type OAuth = Extract<Auth, { type: "oauth2" }>;

/** The log-in of a saved tool, if it has one. */
export function signInOf(tool: Tool): SignIn | undefined {
  const { auth } = httpOf(tool.impl);
  return auth?.type === "oauth2" ? new SignIn(tool.id, auth) : undefined;
}

/**
 * One log-in. The service's page is shown once: if the core wants the password, {@link run} goes on with it from where it
 * stopped.
 */
export class SignIn {
  /** Where the browser came back to. */
  #back: string | undefined;

  constructor(
    private readonly toolId: string,
    private readonly server: Pick<OAuth, "tokenUrl">,
  ) {}

  /** Must be the first call after a press: the browser asks for the host of the tokens. */
  async run(password?: string): Promise<void> {
    if (this.#back === undefined) {
      await askToReach(this.server.tokenUrl);
      await this.#allow(password);
      const { authorizationUrl } = await beginSignIn(this.toolId, chrome.identity.getRedirectURL());
      this.#back = await this.#decision(authorizationUrl);
    }
    try {
      await finishSignIn(this.toolId, this.#back, password);
    } catch (error) {
      // Only the password is missing: what was decided at the service still holds.
      if (needsPassword(error)) throw error;
      this.#back = undefined;
      throw error;
    }
    this.#back = undefined;
  }

  async isSignedIn(): Promise<boolean> {
    return (await getSignIn(this.toolId)).signedIn;
  }

  /** Forgets the tokens. */
  leave(): Promise<void> {
    return signOut(this.toolId);
  }

  /** The secrets of the log-in go to the host of the tokens: the user allows it as any other. */
  async #allow(password?: string): Promise<void> {
    const host = hostEntry(this.server.tokenUrl);
    const allowed = await getAllowedHosts();
    if (host !== undefined && !isAllowed(allowed, host)) await setAllowedHosts([...allowed, host], password);
  }

  /** What the user decides at the service. */
  async #decision(url: string): Promise<string> {
    const back = await chrome.identity.launchWebAuthFlow({ url, interactive: true }).catch(() => undefined);
    if (back === undefined) throw new RequestError(0, "sign_in_denied", "");
    return back;
  }
}
