// Tool configurations of specification 004 and MCP servers, pasted as JSON. Servers are shown before they are added.

import { fill, h } from "../../popup/element";
import { field } from "../../popup/field";
import { taskForm } from "../../popup/form";
import { plural, t } from "../../popup/i18n";
import { addServer, type NewServer } from "../../popup/mcp/api";
import { plain } from "../../popup/plain";
import { RequestError } from "../../popup/request";
import { askToReach } from "../../popup/settings/reach";
import { importConfigs } from "../api";

/** What a pasted text holds. */
export interface Pasted {
  readonly configs: readonly unknown[];
  readonly servers: readonly NewServer[];
}

/**
 * One configuration, a list of them, `{"tools": […]}`, and `{"mcp": {"servers": […]}}`, also together. Nothing if it is
 * none of these.
 */
export function pastedOf(value: unknown): Pasted | undefined {
  if (Array.isArray(value)) return { configs: value, servers: [] };
  if (!isObject(value)) return undefined;
  const { tools, mcp } = value;
  const servers = isObject(mcp) && Array.isArray(mcp["servers"]) ? mcp["servers"].flatMap(serverOf) : [];
  if (Array.isArray(tools)) return { configs: tools, servers };
  if (servers.length > 0) return { configs: [], servers };
  return "name" in value ? { configs: [value], servers: [] } : undefined;
}

function serverOf(value: unknown): NewServer[] {
  if (!isObject(value)) return [];
  const { name, url, transport, allowedTools } = value;
  if (typeof name !== "string" || (typeof url !== "string" && transport !== "stdio")) return [];
  const names = Array.isArray(allowedTools) ? allowedTools.filter((tool) => typeof tool === "string") : undefined;
  return [
    {
      ...{ name, url: typeof url === "string" ? url : "", transport: typeof transport === "string" ? transport : "http" },
      ...(names ? { allowedTools: names } : {}),
    },
  ];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `changed`: something was added. */
export function importForm(changed: () => void): HTMLElement {
  const text = h("textarea", { rows: 6, class: "code", required: true, spellcheck: "false", "data-testid": "configs-text" });
  const said = h("div", { class: "notice-slot", role: "status", "data-testid": "configs-said" });
  const details = h("details", { class: "new-bundle" });
  const form = taskForm({
    name: t("mcp_import"),
    body: [field(t("mcp_import_text"), text, t("mcp_import_hint"))],
    submit: [t("mcp_import_read"), t("tools_importing")],
    testId: "configs-import",
    errorTestId: "configs-error",
    run: async () => {
      fill(said);
      const { configs, servers } = readText(text.value);
      if (configs.length > 0) await importConfigs(configs);
      text.value = "";
      const words = t(plural(configs.length, "mcp_imported_one", "mcp_imported_other"), configs.length);
      fill(said, configs.length > 0 && h("p", { class: "hint" }, words), ...servers.map((server) => offer(server, changed)));
      changed();
    },
  });
  fill(details, h("summary", { "data-testid": "configs-open" }, t("mcp_import")), form, said);
  return details;
}

function readText(text: string): Pasted {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    throw new RequestError(0, "file_not_json", t("tools_form_not_json"));
  }
  const pasted = pastedOf(value);
  if (!pasted) throw new RequestError(0, "invalid_request", t("mcp_import_unknown"));
  return pasted;
}

/** A server that the user adds by a press, since the browser asks for its host then. */
function offer(server: NewServer, changed: () => void): HTMLElement {
  const row = h("div", { class: "mcp-offer", "data-testid": `mcp-offer-${server.name}` });
  const form = taskForm({
    name: t("mcp_add_named", plain(server.name)),
    body: [
      h("p", {}, h("strong", {}, plain(server.name)), " ", h("code", {}, plain(server.url))),
      server.allowedTools !== undefined && h("p", { class: "hint" }, t("mcp_only", server.allowedTools.map(plain).join(", "))),
    ],
    submit: [t("mcp_save"), t("mcp_saving")],
    testId: `mcp-offer-add-${server.name}`,
    run: async (password) => {
      await askToReach(server.url);
      await addServer({ ...server, password });
      row.remove();
      changed();
    },
    cancel: () => row.remove(),
  });
  fill(row, form);
  return row;
}
