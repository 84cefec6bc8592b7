// Texts for MCP servers and their tools.

import type { McpServer } from "../../../generated/McpServer";
import type { McpStanding } from "../../../generated/McpStanding";
import { sentenceOf } from "../../popup/errors";
import { fullTime } from "../../popup/format";
import { plural, t } from "../../popup/i18n";

/** What is known of a server, as a sentence. */
export function stateWords({ state, tools, listedAt }: Pick<McpServer, "state" | "tools" | "listedAt">): string {
  switch (state.name) {
    case "new":
      return t("mcp_state_new");
    case "ready": {
      const amount = t(plural(tools.length, "mcp_tools_one", "mcp_tools_other"), tools.length);
      return listedAt === null ? t("mcp_state_ready", amount) : t("mcp_state_listed", amount, fullTime(listedAt));
    }
    case "sign_in_required":
      return t("mcp_state_sign_in");
    case "origin_refused":
      return t("mcp_state_origin");
    case "failed":
      return t("mcp_state_failed", sentenceOf(state.error));
  }
}

const STANDINGS: Record<McpStanding["name"], string> = {
  new: t("mcp_standing_new"),
  allowed: t("mcp_standing_allowed"),
  changed: t("mcp_standing_changed"),
};

export const standingWords = ({ name }: McpStanding): string => STANDINGS[name];

/** Names separated by commas or lines; none offers all tools. */
export function namesIn(typed: string): string[] {
  return [...new Set(typed.split(/[\s,]+/).filter((name) => name !== ""))];
}
