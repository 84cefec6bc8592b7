// The hosts that HTTP tools may reach. A host is added when a tool is saved, or here.

import { fill, h } from "../../popup/element";
import { field, lineInput } from "../../popup/field";
import { taskForm } from "../../popup/form";
import { t } from "../../popup/i18n";
import { iconButton, loading, problem } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { askToReach, originsOf } from "../../popup/settings/reach";
import { EXAMPLES } from "../examples";
import { getAllowedHosts, setAllowedHosts } from "../api";

const LOCAL = /^(localhost|127\.0\.0\.1)(:\d+)?$/i;

export class HostsPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading(t("tools_loading")));
  readonly #add = h("details", {});

  /** `changed`: whether tools can be called may have changed. */
  constructor(private readonly changed: () => void) {
    const host = lineInput({ required: true, placeholder: EXAMPLES.host, "data-testid": "host-name" });
    const form = taskForm({
      name: t("tools_host_new"),
      body: [field(t("tools_host"), host, t("tools_host_hint"))],
      submit: [t("tools_host_allow"), t("tools_saving")],
      testId: "host-save",
      errorTestId: "host-error",
      run: async (password) => {
        const entry = host.value.trim();
        await setAllowedHosts([...new Set([...(await getAllowedHosts()), entry])], password);
        host.value = "";
        this.#add.open = false;
        // Last: the browser's question may close the toolbar's popup. What it says is shown at the host.
        await askToReach(addressOf(entry)).catch(() => undefined);
        await this.load();
        this.changed();
      },
    });
    fill(this.#add, h("summary", { "data-testid": "host-new" }, t("tools_host_new")), form);
    this.element = h(
      "section",
      { class: "panel rule-section-plain", "aria-label": t("tools_hosts"), "data-testid": "hosts" },
      h("h2", {}, t("tools_hosts")),
      h("p", { class: "hint" }, t("tools_hosts_hint")),
      this.#list,
      this.#add,
    );
  }

  async load(): Promise<void> {
    try {
      const hosts = await getAllowedHosts();
      const held = await Promise.all(hosts.map(isHeld));
      fill(
        this.#list,
        hosts.length === 0
          ? h("p", { class: "muted" }, t("tools_hosts_none"))
          : h("ul", { class: "rules" }, ...hosts.map((host, i) => this.#row(host, held[i] ?? true))),
      );
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #row(host: string, isHeld: boolean): HTMLElement {
    const slot = h("div", { class: "vault-task" });
    const remove = iconButton("bin", t("tools_host_remove", plain(host)), () => void removed(), "host-remove");
    const removed = async (): Promise<void> => {
      try {
        await setAllowedHosts((await getAllowedHosts()).filter((other) => other !== host));
        await this.load();
        this.changed();
      } catch (error) {
        fill(slot, problem(error));
      }
    };
    const ask = (): void => void askToReach(addressOf(host)).then(() => this.load(), () => undefined);
    const allow = h("button", { type: "button", "data-testid": "host-reach", on: { click: ask } }, t("tools_host_allow"));
    return h(
      "li",
      { "data-testid": "host-row" },
      h(
        "span",
        { class: "rule-main" },
        h("code", {}, plain(host)),
        !isHeld && h("span", { class: "tool-reason" }, t("tools_host_not_held")),
      ),
      !isHeld && allow,
      remove,
      slot,
    );
  }
}

/** The address to ask the browser for; it writes sub-domains with the same asterisk. The manifest grants local ones. */
const addressOf = (host: string): string => (LOCAL.test(host) ? `http://${host}/` : `https://${host}/`);

/** Whether the browser lets the extension reach a host: the user may have taken that back there. */
async function isHeld(host: string): Promise<boolean> {
  const origins = originsOf([addressOf(host)]);
  return origins.length === 0 || chrome.permissions.contains({ origins });
}
