// The routes below /tools, those of secrets, and what the page needs of the settings.

import type { Secrets } from "../../generated/Secrets";
import type { SecretView } from "../../generated/SecretView";
import type { Settings } from "../../generated/Settings";
import type { SignInAddress } from "../../generated/SignInAddress";
import type { SignInState } from "../../generated/SignInState";
import { changeSettings, getSettings } from "../popup/api";
import { request } from "../popup/request";
import type { Bundle, Invoked, Tool, ToolBody, ToolKey, Trial, Warning } from "./types";

const part = encodeURIComponent;

/** The most that a page may have. */
const PAGE = 256;

const bundlePath = (id: string): string => `/tools/bundles/${part(id)}`;
const toolPath = ({ bundleID, slug, version }: ToolKey): string =>
  `${bundlePath(bundleID)}/tools/${part(slug)}/version/${part(version)}`;

interface Page {
  nextPageToken: string | null;
}

/** All bundles, switched off ones as well. */
export async function getBundles(): Promise<Bundle[]> {
  const bundles: Bundle[] = [];
  for (let token: string | null = ""; token !== null; ) {
    const query: string = pageQuery({ includeDisabled: "true", pageSize: PAGE }, token);
    const page: Page & { bundles: Bundle[] } = await request("GET", `/tools/bundles?${query}`);
    bundles.push(...page.bundles);
    token = page.nextPageToken;
  }
  return bundles;
}

export interface ToolPage extends Page {
  tools: Tool[];
}

/** One page of a bundle's tools, the newest first, switched off ones as well. */
export const getTools = (bundleID: string, token = ""): Promise<ToolPage> =>
  request("GET", `/tools/tools?${pageQuery({ bundleIDs: bundleID, includeDisabled: "true", recommendedPageSize: PAGE }, token)}`);

/** The tools that fit a search, the best first. */
export const searchTools = (q: string, includeDisabled: boolean, pageSize: number): Promise<ToolPage> =>
  request("GET", `/tools/search?${pageQuery({ q, includeDisabled: String(includeDisabled), pageSize }, "")}`);

/** The tools that can be called, the newest first. */
export const callableTools = (recommendedPageSize: number): Promise<ToolPage> =>
  request("GET", `/tools/tools?${pageQuery({ recommendedPageSize }, "")}`);

function pageQuery(values: Record<string, string | number>, token: string): string {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
  if (token !== "") query.set("pageToken", token);
  return query.toString();
}

export const putBundle = (id: string, bundle: Pick<Bundle, "slug" | "displayName" | "description" | "isEnabled">): Promise<Bundle> =>
  request("PUT", bundlePath(id), { body: bundle });

export const switchBundle = (id: string, isEnabled: boolean): Promise<Bundle> =>
  request("PATCH", bundlePath(id), { body: { isEnabled } });

export const deleteBundle = (id: string): Promise<void> => request("DELETE", bundlePath(id), { repeatable: false });

export const getTool = (key: ToolKey): Promise<Tool> => request("GET", toolPath(key));

/** Sent once: a second PUT of the same version is a conflict. */
export const putTool = (key: ToolKey, tool: ToolBody): Promise<Tool & { warnings?: Warning[] }> =>
  request("PUT", toolPath(key), { body: tool, repeatable: false });

export const switchTool = (key: ToolKey, isEnabled: boolean): Promise<Tool> =>
  request("PATCH", toolPath(key), { body: { isEnabled } });

export const deleteTool = (key: ToolKey): Promise<void> => request("DELETE", toolPath(key), { repeatable: false });

/** Calls a tool under an id of the page (UUIDv7), by which the call can be stopped; a repeated request is the same call. */
export const invokeTool = (key: ToolKey, id: string, args: unknown): Promise<Invoked> =>
  request("POST", `${toolPath(key)}/invoke`, { body: { id, args }, repeatable: true });

/** A tool that was made of something else. */
export interface Drafted extends Partial<ToolBody> {
  /** What was left out, for a person. */
  notes?: string[];
}

/** Reads a curl command as a tool. Nothing is stored. */
export const draftFromCurl = (curl: string): Promise<Drafted> =>
  request("POST", "/tools/draft", { body: { curl }, repeatable: true });

/** Makes the index of the search anew from the stored tools. */
export const rebuildIndex = (): Promise<{ tools: number }> =>
  request("POST", "/tools/index/rebuild", { repeatable: true });

/** Runs a tool that need not be stored. */
export const testTool = (tool: ToolBody & ToolKey, args: unknown, id: string): Promise<Trial> =>
  request("POST", "/tools/test", { body: { tool, args, id } });

/** Stops a run by its id, with its request. Its answer then says so. */
export const stopTest = (id: string): Promise<void> => request("DELETE", `/tools/test/${part(id)}`);

const oauthPath = (toolId: string): string => `/api/oauth/${part(toolId)}`;

/** Whether a tool is logged in at its service. */
export const getSignIn = (toolId: string): Promise<SignInState> => request("GET", oauthPath(toolId));

/** Begins to log a tool in: the address that the user decides at. */
export const beginSignIn = (toolId: string, redirectUri: string): Promise<SignInAddress> =>
  request("POST", `${oauthPath(toolId)}/begin`, { body: { redirectUri } });

/** Ends it, with the address that the browser came back to. */
export const finishSignIn = (toolId: string, redirectUrl: string, password?: string): Promise<SignInState> =>
  request("POST", `${oauthPath(toolId)}/finish`, { body: { redirectUrl, password } });

/** Forgets the tokens of a tool. */
export const signOut = (toolId: string): Promise<void> => request("DELETE", oauthPath(toolId), { repeatable: false });

export interface ExportedZip {
  fileName: string;
  base64: string;
  /** Places that look like a secret in clear. */
  warnings: { message: string; file: string; path: string }[];
}

export const exportBundle = (id: string): Promise<ExportedZip> => request("GET", `${bundlePath(id)}/export`);

export const importBundle = (base64: string): Promise<{ bundle?: Bundle; tools?: unknown[] }> =>
  request("POST", "/tools/import", { body: { base64 } });

/** Stores tools of specification 004. */
export const importConfigs = (configs: readonly unknown[]): Promise<unknown> =>
  request("POST", "/tools/configs", { body: { tools: configs } });

/** Those of the active vault, without their values. */
export const getSecrets = async (): Promise<SecretView[]> => (await request<Secrets>("GET", "/api/secrets")).secrets;

export const putSecret = (name: string, value: string, password?: string): Promise<void> =>
  request("PUT", `/api/secrets/${part(name)}`, { body: { value, password } });

export const deleteSecret = (name: string): Promise<void> =>
  request("DELETE", `/api/secrets/${part(name)}`, { repeatable: false });

/** The hosts that HTTP tools may reach. */
export const getAllowedHosts = async (): Promise<string[]> => (await getSettings()).allowedHosts;

/** Adding a host may need the password: the core says so. */
export const setAllowedHosts = (allowedHosts: readonly string[], password?: string): Promise<Settings> =>
  changeSettings({ allowedHosts, password });
