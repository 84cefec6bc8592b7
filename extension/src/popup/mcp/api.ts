// The routes of MCP servers.

import type { McpServer } from "../../../generated/McpServer";
import type { McpServers } from "../../../generated/McpServers";
import type { McpSignIn } from "../../../generated/McpSignIn";
import type { McpSignInOrigins } from "../../../generated/McpSignInOrigins";
import type { SignInState } from "../../../generated/SignInState";
import { request } from "../request";

export interface NewServer {
  name: string;
  url: string;
  transport: string;
  allowedTools?: readonly string[];
  withoutOrigin?: boolean;
  /** Needed for a host that is new: the core says so. */
  password?: string | undefined;
}

export interface ServerChange {
  isEnabled?: boolean;
  withoutOrigin?: boolean;
}

const SERVERS = "/api/mcp/servers";
const path = (id: string, ...parts: readonly string[]): string => [SERVERS, ...[id, ...parts].map(encodeURIComponent)].join("/");

export const getServers = async (): Promise<McpServer[]> => (await request<McpServers>("GET", SERVERS)).servers;

export const addServer = (server: NewServer): Promise<McpServer> => request("POST", SERVERS, { body: server });

export const changeServer = (id: string, change: ServerChange): Promise<McpServer> =>
  request("PATCH", path(id), { body: change });

export const removeServer = (id: string): Promise<void> => request("DELETE", path(id), { repeatable: false });

/** Asks the server for its tools. */
export const refreshServer = (id: string): Promise<McpServer> =>
  request("POST", path(id, "refresh"), { repeatable: true });

/** Allows the definition with this digest, and no other. */
export const allowTool = (id: string, name: string, digest: string): Promise<McpServer> =>
  request("POST", path(id, "tools", name, "allow"), { body: { digest } });

export const getServerSignIn = (id: string): Promise<SignInState> => request("GET", path(id, "sign-in"));

/** The hosts that a log-in reaches, which the browser must be asked for. */
export const getSignInOrigins = async (id: string): Promise<string[]> =>
  (await request<McpSignInOrigins>("POST", path(id, "sign-in", "origins"), { repeatable: true })).origins;

export const beginServerSignIn = (id: string, redirectUri: string): Promise<McpSignIn> =>
  request("POST", path(id, "sign-in"), { body: { redirectUri } });

export const finishServerSignIn = (id: string, redirectUrl: string, password?: string): Promise<SignInState> =>
  request("POST", path(id, "sign-in", "finish"), { body: { redirectUrl, password } });

export const signOutOfServer = (id: string): Promise<void> =>
  request("DELETE", path(id, "sign-in"), { repeatable: false });
