// The worker's routes, one function each, with generated types.

import type { AddedDescriptorPack } from "../../generated/AddedDescriptorPack";
import type { DescriptorPack } from "../../generated/DescriptorPack";
import type { DescriptorPacks } from "../../generated/DescriptorPacks";
import type { PackFile } from "../../generated/PackFile";
import type { ActionResult } from "../../generated/ActionResult";
import type { ActionResults } from "../../generated/ActionResults";
import type { AuditCheck } from "../../generated/AuditCheck";
import type { AuditPage } from "../../generated/AuditPage";
import type { Bundles } from "../../generated/Bundles";
import type { BundleState } from "../../generated/BundleState";
import type { BundleView } from "../../generated/BundleView";
import type { MessageView } from "../../generated/MessageView";
import type { Call } from "../../generated/Call";
import type { Calls } from "../../generated/Calls";
import type { ChooseFee } from "../../generated/ChooseFee";
import type { Coin } from "../../generated/Coin";
import type { Coins } from "../../generated/Coins";
import type { Entry } from "../../generated/Entry";
import type { Contacts } from "../../generated/Contacts";
import type { Conversation } from "../../generated/Conversation";
import type { Conversations } from "../../generated/Conversations";
import type { Endpoint } from "../../generated/Endpoint";
import type { ExportedFile } from "../../generated/ExportedFile";
import type { Health } from "../../generated/Health";
import type { Connection } from "../../generated/Connection";
import type { Message } from "../../generated/Message";
import type { PageAddress } from "../../generated/PageAddress";
import type { PageAddresses } from "../../generated/PageAddresses";
import type { PageSettings } from "../../generated/PageSettings";
import type { Site } from "../../generated/Site";
import type { SiteList } from "../../generated/SiteList";
import type { Sites } from "../../generated/Sites";
import type { Policy } from "../../generated/Policy";
import type { Prompt } from "../../generated/Prompt";
import type { Prompts } from "../../generated/Prompts";
import type { Settings } from "../../generated/Settings";
import type { SkipApproval } from "../../generated/SkipApproval";
import type { SubmittedResult } from "../../generated/SubmittedResult";
import type { Timeline } from "../../generated/Timeline";
import type { ToolDecision } from "../../generated/ToolDecision";
import type { Vaults } from "../../generated/Vaults";
import type { VaultView } from "../../generated/VaultView";
import { request, RequestError } from "./request";

export interface SettingsChange {
  backend?: { url?: string; token?: string | null };
  skipApproval?: SkipApproval;
  autoLockMinutes?: number;
  /** By chain name; `null` restores the default. */
  endpoints?: Record<string, Endpoint | null>;
  /** The whole list. */
  allowedHosts?: readonly string[];
  /** On which web pages the wallet is offered. */
  pages?: Partial<PageSettings>;
  /** Needed if the change loosens something: the core says so. */
  password?: string | undefined;
}

/** A new vault, by its kind. */
export type NewVault =
  | { kind: "local"; name: string; password: string; mnemonic?: string; passphrase?: string; keys?: PrivateKeys }
  | { kind: "watch"; name: string; publicKeyEcdsa: string; publicKeyEddsa: string; hexChainCode: string }
  | { kind: "file"; name: string; password: string; file: string; filePassword?: string };

/** Hexadecimal digits. */
export interface PrivateKeys {
  ecdsa: string;
  eddsa: string;
  chainCode: string;
}

/** The user's answer to a prompt. */
export interface Answer {
  approve: boolean;
  /** Digest of what was shown: an answer to anything else is refused. */
  digest: string;
  password?: string;
  keepUnlocked?: boolean;
  /** For the sender of the request. */
  reason?: string;
  /** What the user filled in for an MCP server. */
  content?: unknown;
  /** Only for prompts of tools. A permission needs the password. */
  remember?: ToolDecision;
  /** Only for the connection of a site: what it gets. */
  grant?: { chains?: readonly string[]; days?: number | null };
}

const part = encodeURIComponent;

export const getHealth = (): Promise<Health> => request("GET", "/api/health");

export const getSettings = (): Promise<Settings> => request("GET", "/api/settings");

export const changeSettings = (change: SettingsChange): Promise<Settings> =>
  request("PATCH", "/api/settings", { body: change });

export const getContacts = (query: string, limit: number): Promise<Contacts> =>
  request("GET", `/api/contacts?query=${part(query)}&limit=${limit}`);

/** The user stands by a contact that the agent or a page saved. Idempotent. */
export const confirmContact = (id: string): Promise<Entry> =>
  request("POST", `/api/contacts/${part(id)}/confirm`, { repeatable: true });

export const getCoins = async (): Promise<Coin[]> =>
  (await request<Coins>("GET", "/api/vaults/active/coins")).coins;

/** The addresses of the active vault that a web page can be granted. */
export const getPageAddresses = async (): Promise<PageAddress[]> =>
  (await request<PageAddresses>("GET", "/api/vaults/active/accounts")).accounts;

/** The user stands by a token that the agent or a page added. Idempotent. */
export const confirmToken = (chain: string, contract: string): Promise<Coin> =>
  request("POST", `/api/vaults/active/coins/${part(chain)}/${part(contract)}/confirm`, { repeatable: true });

export const removeToken = (chain: string, contract: string): Promise<Coins> =>
  request("DELETE", `/api/vaults/active/coins/${part(chain)}/${part(contract)}`, { repeatable: false });

export const getCall = (id: string): Promise<Call> => request("GET", `/api/calls/${part(id)}`);

/** Stops a running call; one that has ended stays as it is. */
export const cancelCall = (id: string): Promise<void> =>
  request("POST", `/api/calls/${part(id)}/cancel`, { repeatable: true });

export const getCalls = (cursor?: string): Promise<Calls> =>
  request("GET", cursor === undefined ? "/api/calls" : `/api/calls?cursor=${part(cursor)}`);

export const getConversations = async (): Promise<Conversation[]> =>
  (await request<Conversations>("GET", "/api/conversations")).conversations;

export const beginConversation = (title: string): Promise<Conversation> =>
  request("POST", "/api/conversations", { body: { title } });

export const getTimeline = (conversationId: string): Promise<Timeline> =>
  request("GET", `/api/conversations/${part(conversationId)}/messages`);

export const sendMessage = (conversationId: string, content: string): Promise<Message> =>
  request("POST", `/api/conversations/${part(conversationId)}/messages`, { body: { content } });

export const getPrompts = async (): Promise<Prompt[]> => (await request<Prompts>("GET", "/api/prompts")).prompts;

/** One prompt, open or settled. */
export const getPrompt = (id: string): Promise<Prompt> => request("GET", `/api/prompts/${part(id)}`);

export const answerPrompt = (id: string, answer: Answer): Promise<Prompt> =>
  request("POST", `/api/prompts/${part(id)}`, { body: answer });

/** Gives the result of a call that waits for one from outside. Only the first counts. */
export const submitResult = (runId: string, callId: string, result: unknown): Promise<SubmittedResult> =>
  request("POST", `/api/runs/${part(runId)}/tool-results`, { body: { callId, result } });

/** Runs one tool on behalf of the user. The fresh id makes a repeated request answer from the record. */
export async function runAction(type: string, title: string, params: object): Promise<ActionResult> {
  const action = { id: crypto.randomUUID(), type, title, params, auto_execute: true };
  const { results } = await request<ActionResults>("POST", "/api/actions", {
    body: { actions: [action] },
    repeatable: true,
  });
  const [result] = results;
  if (!result) throw new RequestError(200, "unreadable_answer", "The worker gave no result.");
  return result;
}

export const getVaults = async (): Promise<VaultView[]> => (await request<Vaults>("GET", "/api/vaults")).vaults;

export const createVault = (vault: NewVault): Promise<VaultView> => request("POST", "/api/vaults", { body: vault });

export const renameVault = (id: string, name: string): Promise<VaultView> =>
  request("PATCH", `/api/vaults/${part(id)}`, { body: { name } });

export const activateVault = (id: string): Promise<void> => request("POST", `/api/vaults/${part(id)}/activate`);

export const unlockVault = (id: string, password: string, minutes: number): Promise<void> =>
  request("POST", `/api/vaults/${part(id)}/unlock`, { body: { password, minutes } });

export const lockVault = (id: string): Promise<void> => request("POST", `/api/vaults/${part(id)}/lock`);

export const exportVault = (id: string, password: string): Promise<ExportedFile> =>
  request("POST", `/api/vaults/${part(id)}/export`, { body: { password } });

export const changePassword = (id: string, password: string, newPassword: string): Promise<void> =>
  request("POST", `/api/vaults/${part(id)}/password`, { body: { password, newPassword } });

/** A watch-only vault is deleted without a password. */
export const deleteVault = (id: string, password?: string): Promise<void> =>
  request("DELETE", `/api/vaults/${part(id)}`, { body: { password }, repeatable: false });

export const getPolicy = (): Promise<Policy> => request("GET", "/api/policy");

/** A change that loosens something needs the password: the core says so. */
export const putPolicy = (policy: Policy, password?: string): Promise<Policy> =>
  request("PUT", "/api/policy", { body: { ...policy, password } });

export const getConnections = async (): Promise<Connection[]> =>
  (await request<{ connections: Connection[] }>("GET", "/api/connections")).connections;

export const disconnect = (origin: string): Promise<void> => request("DELETE", `/api/connections/${part(origin)}`);

export const getSites = async (): Promise<Site[]> => (await request<Sites>("GET", "/api/sites")).sites;

export const changeSite = (origin: string, change: { blocked?: boolean; letIn?: boolean }): Promise<void> =>
  request("PATCH", `/api/sites/${part(origin)}`, { body: change });

export const getSiteList = (): Promise<SiteList> => request("GET", "/api/sites/list");

/** Replaces the list of bad sites; an empty text removes it. */
export const putSiteList = (text: string): Promise<SiteList> => request("PUT", "/api/sites/list", { body: { text } });
export interface NewDescriptorPack {
  name: string;
  file?: string;
  files?: readonly PackFile[];
  url?: string;
  /** The digest that the user accepted. */
  digest?: string;
}

export const getDescriptorPacks = async (): Promise<DescriptorPack[]> =>
  (await request<DescriptorPacks>("GET", "/api/descriptors")).packs;

export const addDescriptorPack = (pack: NewDescriptorPack): Promise<AddedDescriptorPack> =>
  request("POST", "/api/descriptors", { body: pack });

export const removeDescriptorPack = (id: string): Promise<void> => request("DELETE", `/api/descriptors/${part(id)}`);

/** A bundle has the id of its call. */
export const getMessage = (callId: string): Promise<MessageView> => request("GET", `/api/messages/${part(callId)}`);

export const getBundle = (callId: string): Promise<BundleView> => request("GET", `/api/bundles/${part(callId)}`);

/** Filter for bundles; absent fields match all. */
export interface BundleFilter {
  state?: BundleState;
  outcome?: "success" | "failed";
  chain?: string;
}

export function getBundles(filter: BundleFilter, cursor?: string): Promise<Bundles> {
  const query = new URLSearchParams({ ...filter, ...(cursor === undefined ? {} : { cursor }) }).toString();
  return request("GET", query === "" ? "/api/bundles" : `/api/bundles?${query}`);
}

/** Another fee for a bundle whose approval waits: its prompt is replaced. */
export const chooseFee = (callId: string, choice: ChooseFee): Promise<BundleView> =>
  request("POST", `/api/bundles/${part(callId)}/fee`, { body: choice });

/** Stops a bundle before its next step; the running step finishes. Idempotent. */
export const stopBundle = (callId: string): Promise<BundleView> =>
  request("POST", `/api/bundles/${part(callId)}/stop`, { repeatable: true });

export const getAudit = (cursor?: number): Promise<AuditPage> =>
  request("GET", cursor === undefined ? "/api/audit" : `/api/audit?cursor=${cursor}`);

export const checkAudit = (): Promise<AuditCheck> => request("GET", "/api/audit/check");

export const exportAudit = (): Promise<ExportedFile> => request("GET", "/api/audit/export");
