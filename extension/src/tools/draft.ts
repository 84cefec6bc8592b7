// A tool that is being written: a record without what the core adds.

import { nextVersion } from "./names";
import type { HttpImpl, Tool, ToolBody, ToolKey } from "./types";

export type Draft = ToolBody & ToolKey;

/** The core's own defaults. */
export const HTTP_DEFAULTS: HttpImpl = {
  method: "GET",
  urlTemplate: "",
  headers: {},
  bodyTemplate: "",
  successCodes: [],
  timeoutMs: 10_000,
  responseEncoding: "json",
  extractExpr: "",
  errorMode: "fail",
  maxRetries: 2,
  maxRequestBytes: 262_144,
  maxResponseBytes: 1_048_576,
  stream: false,
};

const BODY_DEFAULTS: ToolBody = {
  displayName: "",
  description: "",
  tags: [],
  type: "http",
  isEnabled: true,
  argSchema: { type: "object", properties: {} },
  impl: HTTP_DEFAULTS,
  category: "side_effect",
  consequenceLevel: "medium",
  requiresConfirmation: false,
  timeout: 15_000,
  dependsOn: [],
  maxCallsPerMinute: null,
};

export const newDraft = (bundleID: string): Draft => ({ ...BODY_DEFAULTS, bundleID, slug: "", version: "v1" });

/** The next version of a tool; `taken` are the labels of all its versions. */
export function nextDraft(tool: Tool, taken: readonly string[]): Draft {
  return { ...bodyOf(tool), ...keyOf(tool), isEnabled: true, version: nextVersion(taken, tool.version) };
}

export const keyOf = ({ bundleID, slug, version }: ToolKey): ToolKey => ({ bundleID, slug, version });

/** Only what a person writes, with the defaults for what is absent. */
export function bodyOf(tool: Partial<ToolBody>): ToolBody {
  const names = Object.keys(BODY_DEFAULTS) as (keyof ToolBody)[];
  const given = Object.fromEntries(names.filter((name) => tool[name] !== undefined).map((name) => [name, tool[name]]));
  const output = tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema };
  // A tool of specification 004 keeps its name and says whether it is visible.
  const { name, visible } = tool;
  const own = visible === undefined ? {} : { visible, ...(name === undefined ? {} : { name }) };
  return { ...BODY_DEFAULTS, ...given, ...output, ...own };
}

/** The request of a tool, with the defaults for what is absent. */
export const httpOf = (impl: object): HttpImpl => ({ ...HTTP_DEFAULTS, ...impl });
