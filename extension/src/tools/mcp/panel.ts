// The MCP servers whose tools the agent may be offered.

import type { McpServer } from "../../../generated/McpServer";
import { fill, h } from "../../popup/element";
import { field, lineInput } from "../../popup/field";
import { taskForm } from "../../popup/form";
import { t } from "../../popup/i18n";
import { addServer, getServers } from "../../popup/mcp/api";
import { loading, problem } from "../../popup/parts";
import { askToReach } from "../../popup/settings/reach";
import { EXAMPLES } from "../examples";
import { fitOriginRules } from "./origin";
import { ServerPanel } from "./server";
import { namesIn } from "./words";

export class McpPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading(t("tools_loading")));
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #add = h("details", {});
  readonly #panels = new Map<string, ServerPanel>();

  constructor() {
    fill(this.#add, h("summary", { "data-testid": "mcp-add" }, t("mcp_add")), this.#form());
    this.element = h(
      "section",
      { class: "panel rule-section-plain", "aria-label": t("mcp_title"), "data-testid": "mcp-servers" },
      h("h2", {}, t("mcp_title")),
      h("p", { class: "hint" }, t("mcp_intro")),
      this.#list,
      this.#notice,
      this.#add,
    );
  }

  async load(): Promise<void> {
    try {
      this.#show(await getServers());
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #show(servers: readonly McpServer[]): void {
    const ids = new Set(servers.map(({ id }) => id));
    for (const id of this.#panels.keys()) if (!ids.has(id)) this.#panels.delete(id);
    const panels = servers.map((server) => {
      const known = this.#panels.get(server.id);
      const panel = known ?? new ServerPanel(server, () => void this.#changed());
      this.#panels.set(server.id, panel);
      known?.show(server);
      return panel.element;
    });
    const shown = [...(this.#list.firstElementChild?.children ?? [])];
    if (panels.length > 0 && panels.length === shown.length && panels.every((panel, i) => panel === shown[i])) return;
    fill(this.#list, panels.length === 0 ? h("p", { class: "muted" }, t("mcp_none")) : h("ul", { class: "mcp-list" }, ...panels));
  }

  async #changed(): Promise<void> {
    await this.load();
    await fitOriginRules().catch((error: unknown) => fill(this.#notice, problem(error)));
  }

  #form(): HTMLFormElement {
    const name = lineInput({ required: true, maxlength: 64, placeholder: EXAMPLES.mcpName, "data-testid": "mcp-name" });
    const url = lineInput({ required: true, type: "url", placeholder: EXAMPLES.mcpUrl, "data-testid": "mcp-url" });
    const allowed = lineInput({ "data-testid": "mcp-allowed" });
    return taskForm({
      name: t("mcp_add"),
      body: [
        field(t("tools_name"), name, t("mcp_name_hint")),
        field(t("mcp_url"), url, t("mcp_url_hint")),
        field(t("mcp_allowed"), allowed, t("mcp_allowed_hint")),
        h("p", { class: "hint" }, t("mcp_stdio")),
      ],
      submit: [t("mcp_save"), t("mcp_saving")],
      testId: "mcp-save",
      errorTestId: "mcp-error",
      run: async (password) => {
        const address = url.value.trim();
        // First: the browser asks only soon after a press.
        await askToReach(address);
        const allowedTools = namesIn(allowed.value);
        await addServer({
          ...{ name: name.value.trim(), url: address, transport: "http", password },
          ...(allowedTools.length > 0 ? { allowedTools } : {}),
        });
        for (const input of [name, url, allowed]) input.value = "";
        this.#add.open = false;
        await this.load();
      },
    });
  }
}
