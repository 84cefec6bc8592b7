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

  /** Whether the host is to be allowed. Without it the tool is saved and cannot be called. */
  get isWanted(): boolean {
    return this.#tick.checked && hostEntry(this.#url) !== undefined;
  }

  /** Asks the browser for the host, if it was not allowed before. Soon after a press: the browser asks only then. */
  async reach(): Promise<void> {
    const address = reachable(this.#url);
    if (address !== undefined) await askToReach(address);
  }

  /** Adds the host to the settings. */
  async allow(password?: string): Promise<void> {
    const host = hostEntry(this.#url);
    if (host === undefined || isAllowed(this.allowed, host)) return;
    await setAllowedHosts([...new Set([...(await getAllowedHosts()), host])], password);
    this.allowed = [...this.allowed, host];
    this.#shown = undefined;
    this.fit(this.#url);
  }
}
