// Bundles and tools as the routes below /tools give them.

import type { Category } from "../../generated/Category";
import type { Consequence } from "../../generated/Consequence";
import type { Schema } from "../popup/json/schema";

export interface Bundle {
  id: string;
  slug: string;
  displayName: string;
  description: string;
  isEnabled: boolean;
  isBuiltIn: boolean;
  createdAt: string;
  modifiedAt: string;
}

export type ToolType = "http" | "local" | "steps" | "external" | "space" | "internal" | "mcp";
export type { Category, Consequence };
export const CATEGORIES: readonly Category[] = ["read", "write", "delete", "side_effect"];
export const CONSEQUENCES: readonly Consequence[] = ["low", "medium", "high"];

/** Why a tool cannot be called; the first that holds. */
export const DISABLED_REASONS = [
  "bundle_deleted",
  "bundle_disabled",
  "tool_disabled",
  "newer_schema",
  "implementation_missing",
  "host_not_allowed",
  "dependency_missing",
  "dependency_disabled",
] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** What a person writes; the rest is made by the core. */
export interface ToolBody {
  /** Only of a tool of specification 004; others are called by their short name. */
  name?: string;
  /** Only of a tool of specification 004: whether its calls are messages of the conversation. */
  visible?: boolean;
  displayName: string;
  description: string;
  tags: string[];
  type: ToolType;
  isEnabled: boolean;
  argSchema: Schema;
  outputSchema?: Schema;
  impl: object;
  category: Category;
  consequenceLevel: Consequence;
  requiresConfirmation: boolean;
  timeout: number;
  dependsOn: string[];
  maxCallsPerMinute: number | null;
}

export interface Tool extends ToolBody {
  schemaVersion: string;
  id: string;
  bundleID: string;
  slug: string;
  version: string;
  isBuiltIn: boolean;
  createdAt: string;
  modifiedAt: string;
  /** What an agent calls it. */
  name: string;
  effective: { isCallable: boolean; reason?: DisabledReason };
  metrics: { callCount: number; failureCount: number; lastCalledAt: string | null };
}

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
export type HttpMethod = (typeof METHODS)[number];

export type Auth =
  | { type: "bearer"; token: string }
  | { type: "basic"; username: string; password: string }
  | { type: "apiKey"; in: "header" | "query"; name: string; value: string }
  | {
      type: "hmac";
      algorithm: "sha256" | "sha512";
      key: string;
      header: string;
      encoding: "hex" | "base64";
      message: string;
      timestampHeader?: string;
    }
  | {
      type: "oauth2";
      authorizationUrl: string;
      tokenUrl: string;
      clientId: string;
      clientSecret?: string;
      scopes: string[];
    };

/** The request of an HTTP tool. */
export interface HttpImpl {
  method: HttpMethod;
  urlTemplate: string;
  headers: Record<string, string>;
  bodyTemplate: string;
  successCodes: number[];
  timeoutMs: number;
  responseEncoding: "json" | "text";
  extractExpr: string;
  errorMode: "fail" | "empty";
  maxRetries: number;
  idempotencyHeader?: string;
  maxRequestBytes: number;
  maxResponseBytes: number;
  stream: boolean;
  auth?: Auth;
}

/** A tool by its place. */
export interface ToolKey {
  bundleID: string;
  slug: string;
  version: string;
}

/** What invoking a tool gives. */
export type Invoked = { ok: true; value: unknown } | { ok: false; error: string };

/** One request of a call, with secrets masked. */
export interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** A trial run: every stage as far as it came. */
export interface Trial {
  request: SentRequest | null;
  attempts: { status?: number; error?: string; millis: number }[];
  response: { status: number; contentType: string | null; body: string } | null;
  extracted?: unknown;
  validation: { path: string; message: string }[];
  warnings: Warning[];
  result: Invoked;
}

/** What could be better about a tool, with a pointer into its record. */
export interface Warning {
  code: string;
  message: string;
  path?: string;
}
