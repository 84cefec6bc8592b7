// The web pages that may read the vault's addresses and request signatures.

import type { Connection } from "../../../generated/Connection";
import { disconnect, getConnections } from "../api";
import { fill, h } from "../element";
import { fullTime } from "../format";
import { t } from "../i18n";
import { originLine } from "../origin";
import { loading, problem, whileBusy } from "../parts";
import { plain } from "../plain";

export class ConnectionList {
  readonly element = h("div", {}, loading(t("settings_sites_loading")));

  async load(): Promise<void> {
    try {
      const connections = await getConnections();
      if (connections.length === 0) fill(this.element, h("p", { class: "muted" }, t("settings_sites_none")));
      else fill(this.element, h("ul", { class: "rules" }, ...connections.map((connection) => this.#row(connection))));
    } catch (error) {
      fill(
        this.element,
        problem(error, () => void this.load()),
      );
    }
  }

  #row(connection: Connection): HTMLElement {
    const { origin, chains } = connection;
    const remove = h(
      "button",
      { type: "button", "aria-label": t("settings_disconnect_site", plain(origin)), "data-testid": "connection-remove" },
      t("settings_disconnect"),
    );
    const row = h(
      "li",
      { "data-testid": "connection-row", "data-origin": origin },
      h(
        "span",
        { class: "rule-main" },
        originLine(origin),
        h("span", { class: "small" }, chains.length === 0 ? t("sites_no_chains") : chains.join(", ")),
        h("span", { class: "muted small" }, timesOf(connection)),
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

/** Since when, until when, and when it was last used. */
function timesOf({ connectedAt, expiresAt, usedAt }: Connection): string {
  const until = expiresAt === null ? t("sites_without_end") : t("sites_until", fullTime(expiresAt));
  const used = usedAt === null ? [] : [t("sites_last_used", fullTime(usedAt))];
  return [t("settings_since", fullTime(connectedAt)), until, ...used].join(" · ");
}
