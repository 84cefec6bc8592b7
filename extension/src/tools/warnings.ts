// What could be better about a tool, in the words of the page.

import { t } from "../popup/i18n";
import { plain } from "../popup/plain";
import type { Warning } from "./types";

/** Without those about the description: the editor says these as it is typed. */
export function warningWords(warnings: readonly Warning[]): string[] {
  return warnings.filter(({ code }) => code !== "unclear_description").map(words);
}

function words({ code, message, path }: Warning): string {
  const name = path?.split("/").at(-1) ?? "";
  return code === "header_not_sent" ? t("tools_header_not_sent", plain(name)) : plain(message);
}

/** Whether the browser sends its own value for a header. */
export const isReplaced = (header: string): boolean => header.toLowerCase() === "user-agent";
