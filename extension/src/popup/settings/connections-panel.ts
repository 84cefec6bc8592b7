// The web pages that may read the vault's addresses and request signatures.

import { disconnect, getConnections, type Connection } from "../api";
import { fill, h } from "../element";
import { fullTime } from "../format";
import { loading, problem, whileBusy } from "../parts";
import { plain } from "../plain";

export class ConnectionsPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading("Loading connected sites"));

  constructor() {
    this.element = h(
      "section",
      { class: "panel", "aria-label": "Connected sites" },
      h("h2", {}, "Connected sites"),
      h("p", { class: "hint" }, "They know your addresses and may ask you to sign. Each signature needs your approval."),
      this.#list,
    );
  }

  async load(): Promise<void> {
    try {
      const connections = await getConnections();
      if (connections.length === 0) fill(this.#list, h("p", { class: "muted" }, "No site is connected."));
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
      { type: "button", "aria-label": `Disconnect ${words}`, "data-testid": "connection-remove" },
      "Disconnect",
    );
    const row = h(
      "li",
      { "data-testid": "connection-row" },
      h(
        "span",
        { class: "rule-main" },
        h("strong", {}, words),
        h("span", { class: "muted small" }, `Since ${fullTime(connectedAt)}`),
      ),
      remove,
    );
    remove.addEventListener("click", () => {
      whileBusy(remove, "Disconnecting…", () => disconnect(origin)).then(
        () => this.load(),
        (error: unknown) => row.append(problem(error)),
      );
    });
    return row;
  }
}
