// The host of the request: whether tools may reach it, and in plain words what allowing it means.

import { fill, h } from "../../popup/element";
import { t } from "../../popup/i18n";
import { plain } from "../../popup/plain";
import { askToReach } from "../../popup/settings/reach";
import { getAllowedHosts, setAllowedHosts } from "../api";
import { hostEntry, isAllowed, reachable } from "../host";

export class HostConsent {
  readonly element = h("div", { class: "host-consent", "data-testid": "host-consent" });
  readonly #tick = h("input", { type: "checkbox", "data-testid": "host-allow" });
  #url = "";
  #shown: string | undefined;

  constructor(private allowed: readonly string[]) {
    this.#tick.checked = true;
  }

  /** The template has this address now. */
  fit(url: string): void {
    this.#url = url;
    const host = hostEntry(url);
    const isPlaceholder = host === undefined && /^https?:.*\$\{/.test(url);
    const shown = JSON.stringify([host, isPlaceholder, host !== undefined && isAllowed(this.allowed, host)]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.element, ...this.#words(host, isPlaceholder));
  }

  #words(host: string | undefined, isPlaceholder: boolean): HTMLElement[] {
    if (isPlaceholder) return [h("p", { class: "hint" }, t("tools_host_placeholder"))];
    if (host === undefined) return [];
    const name = plain(host);
    if (isAllowed(this.allowed, host)) return [h("p", { class: "hint" }, t("tools_host_allowed", name))];
    return [
      h("label", { class: "tick" }, this.#tick, h("span", {}, t("tools_host_consent", name))),
      h("p", { class: "hint" }, t("tools_host_consent_hint", name)),
    ];
  }

  /** Without the tick nothing is asked: the tool is saved and cannot be called. */
  async grantIfTicked(password?: string): Promise<void> {
    if (this.#tick.checked) await this.grant(password);
  }

  /** Asks the browser for the host, then adds it to the settings. Must be the first call after a press. */
  async grant(password?: string): Promise<void> {
    const host = hostEntry(this.#url);
    const address = reachable(this.#url);
    if (host === undefined || address === undefined) return;
    await askToReach(address);
    if (isAllowed(this.allowed, host)) return;
    await setAllowedHosts([...new Set([...(await getAllowedHosts()), host])], password);
    this.allowed = [...this.allowed, host];
    this.#shown = undefined;
    this.fit(this.#url);
  }
}
