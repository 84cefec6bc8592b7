// The web pages that may read the vault's addresses and request signatures.

import { disconnect, getConnections, type Connection } from "../api";
import { fill, h } from "../element";
import { fullTime } from "../format";
import { t } from "../i18n";
import { loading, problem, whileBusy } from "../parts";
import { plain } from "../plain";

export class ConnectionsPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading(t("settings_sites_loading")));

  constructor() {
    this.element = h(
      "section",
      { class: "panel", "aria-label": t("settings_sites") },
      h("h2", {}, t("settings_sites")),
      h("p", { class: "hint" }, t("settings_sites_hint")),
      this.#list,
    );
  }

  async load(): Promise<void> {
    try {
      const connections = await getConnections();
      if (connections.length === 0) fill(this.#list, h("p", { class: "muted" }, t("settings_sites_none")));
      else fill(this.#list, h("ul", { class: "rules" }, ...connections.map((connection) => this.#row(connection))));
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #row({ origin, connectedAt }: Connection): HTMLElement {
    const words = plain(origin);
    const remove = h(
      "button",
      { type: "button", "aria-label": t("settings_disconnect_site", words), "data-testid": "connection-remove" },
      t("settings_disconnect"),
    );
    const row = h(
      "li",
      { "data-testid": "connection-row" },
      h(
        "span",
        { class: "rule-main" },
        h("strong", {}, words),
        h("span", { class: "muted small" }, t("settings_since", fullTime(connectedAt))),
      ),
      remove,
    );
    remove.addEventListener("click", () => {
      whileBusy(remove, t("settings_disconnecting"), () => disconnect(origin)).then(
        () => this.load(),
        (error: unknown) => row.append(problem(error)),
      );
    });
    return row;
  }
}
