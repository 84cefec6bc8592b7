// One tool of an MCP server: what the server says of it, and whether the user allowed that.

import type { McpServer } from "../../../generated/McpServer";
import type { McpTool } from "../../../generated/McpTool";
import { fill, h } from "../../popup/element";
import { sentenceOf } from "../../popup/errors";
import { t } from "../../popup/i18n";
import { allowTool } from "../../popup/mcp/api";
import { differenceView } from "../../popup/mcp/difference";
import { problem, whileBusy } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { standingWords } from "./words";

/** `allowed`: the server after the user allowed the tool. */
export function toolRow(server: McpServer, tool: McpTool, allowed: (server: McpServer) => void): HTMLElement {
  const { name, title, description, standing, callableAs, problem: why, digest } = tool;
  // The difference has it.
  const isDifferent = standing.name === "changed" && standing.changes.some(({ field }) => field === "description");
  const notice = h("div", { class: "notice-slot" });
  const allow = h("button", { type: "button", "data-testid": `mcp-allow-${name}` }, standing.name === "changed" ? t("mcp_allow_changed") : t("mcp_allow"));
  allow.addEventListener("click", () => {
    fill(notice);
    const run = async (): Promise<void> => allowed(await allowTool(server.id, name, digest));
    whileBusy(allow, t("mcp_allowing"), run).catch((error: unknown) => fill(notice, problem(error)));
  });
  return h(
    "li",
    { class: "mcp-tool", "data-testid": `mcp-tool-${name}`, "data-standing": standing.name },
    h(
      "div",
      { class: "mcp-tool-line" },
      h(
        "div",
        { class: "rule-main" },
        h("span", { class: "tool-title" }, h("strong", {}, plain(title ?? name)), h("code", {}, plain(callableAs ?? name))),
        h("span", { class: "mcp-standing" }, standingWords(standing)),
        why !== undefined && h("span", { class: "tool-reason" }, plain(sentenceOf(why))),
      ),
      standing.name !== "allowed" && why === undefined && allow,
    ),
    notice,
    standing.name === "changed" && differenceView(standing.changes),
    description !== "" && !isDifferent && h("blockquote", { class: "server-words" }, plain(description)),
  );
}
