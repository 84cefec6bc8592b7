// For a question about a tool of an MCP server: what the server says of it, and what is not as the user allowed it.

import type { Call } from "../../../generated/Call";
import type { McpServer } from "../../../generated/McpServer";
import type { McpTool } from "../../../generated/McpTool";
import type { Prompt } from "../../../generated/Prompt";
import type { ReasonCode } from "../../../generated/ReasonCode";
import { fill, h } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";
import { getServers } from "./api";
import { differenceView } from "./difference";

const ABOUT_DEFINITION: readonly ReasonCode[] = ["new_tool", "definition_changed"];

/** Nothing for any other question. Filled when the server's record is there. */
export function definitionPart(call: Pick<Call, "tool" | "type">, prompt: Prompt | undefined): HTMLElement | undefined {
  if (!prompt?.reasons.some(({ code }) => ABOUT_DEFINITION.includes(code as ReasonCode))) return undefined;
  const element = h("section", { class: "definition", "aria-label": t("mcp_definition"), "data-testid": "mcp-definition" });
  getServers().then(
    (servers) => {
      const found = toolOf(servers, call);
      if (found) fill(element, ...words(found.server, found.tool));
    },
    // The question stands without it; the reason says what is new.
    () => undefined,
  );
  return element;
}

/** The server's tool that a call names. */
export function toolOf(servers: readonly McpServer[], { tool, type }: Pick<Call, "tool" | "type">): { server: McpServer; tool: McpTool } | undefined {
  const all = servers.flatMap((server) => server.tools.map((tool) => ({ server, tool })));
  return all.find(({ tool: { callableAs } }) => callableAs !== undefined && (callableAs === tool || callableAs === type));
}

function words(server: McpServer, { title, description, standing }: McpTool): HTMLElement[] {
  const says = h("p", { class: "detail-label" }, t("mcp_server_says", plain(server.name)));
  if (standing.name === "changed") return [says, differenceView(standing.changes)];
  const about = title === undefined ? description : `${title}\n${description}`;
  return [says, h("blockquote", { class: "server-words" }, plain(about))];
}
