// Texts for tools: their kind, their state and why they cannot be called.

import { fullTime } from "../popup/format";
import { plural, t, type MessageKey } from "../popup/i18n";
import type { Category, Consequence, DisabledReason, Tool, ToolType } from "./types";

const REASONS: Record<DisabledReason, MessageKey> = {
  bundle_deleted: "tools_reason_bundle_deleted",
  bundle_disabled: "tools_reason_bundle_disabled",
  tool_disabled: "tools_reason_tool_disabled",
  newer_schema: "tools_reason_newer_schema",
  implementation_missing: "tools_reason_implementation_missing",
  host_not_allowed: "tools_reason_host_not_allowed",
  dependency_missing: "tools_reason_dependency_missing",
  dependency_disabled: "tools_reason_dependency_disabled",
};

const TYPES: Record<ToolType, MessageKey> = {
  http: "tools_type_http",
  local: "tools_type_local",
  steps: "tools_type_steps",
  external: "tools_type_external",
  space: "tools_type_space",
  internal: "tools_type_internal",
  mcp: "tools_type_mcp",
};

const CATEGORIES: Record<Category, MessageKey> = {
  read: "tools_category_read",
  write: "tools_category_write",
  delete: "tools_category_delete",
  side_effect: "tools_category_side_effect",
};

const CONSEQUENCES: Record<Consequence, MessageKey> = {
  low: "tools_consequence_low",
  medium: "tools_consequence_medium",
  high: "tools_consequence_high",
};

/** Why a tool cannot be called; a reason of a later version is shown by its code. */
export function reasonWords(reason: string): string {
  const key = (REASONS as Partial<Record<string, MessageKey>>)[reason];
  return key === undefined ? reason.replaceAll("_", " ") : t(key);
}

export function typeWords(type: string): string {
  const key = (TYPES as Partial<Record<string, MessageKey>>)[type];
  return key === undefined ? type : t(key);
}

export const categoryWords = (category: Category): string => t(CATEGORIES[category]);

export const consequenceWords = (consequence: Consequence): string => t(CONSEQUENCES[consequence]);

/** "12 calls, 1 failed, last on 3 May 2026, 10:12" */
export function metricsWords({ callCount, failureCount, lastCalledAt }: Tool["metrics"]): string {
  if (callCount === 0) return t("tools_metrics_none");
  const calls = t(plural(callCount, "tools_metrics_calls_one", "tools_metrics_calls_other"), callCount);
  const failures = failureCount === 0 ? t("tools_metrics_no_failure") : t("tools_metrics_failures", failureCount);
  const last = lastCalledAt === null ? "" : ` · ${t("tools_metrics_last", dateWords(lastCalledAt))}`;
  return `${calls} · ${failures}${last}`;
}

/** A time of the wire as a person reads it. */
export function dateWords(iso: string): string {
  const millis = Date.parse(iso);
  return Number.isNaN(millis) ? iso : fullTime(millis);
}
