// The worker's routes, one function each, typed by what the core declares.

import type { ActionResult } from "../../generated/ActionResult";
import type { ActionResults } from "../../generated/ActionResults";
import type { Call } from "../../generated/Call";
import type { Calls } from "../../generated/Calls";
import type { Coin } from "../../generated/Coin";
import type { Coins } from "../../generated/Coins";
import type { Conversation } from "../../generated/Conversation";
import type { Conversations } from "../../generated/Conversations";
import type { Health } from "../../generated/Health";
import type { Message } from "../../generated/Message";
import type { Prompt } from "../../generated/Prompt";
import type { Prompts } from "../../generated/Prompts";
import type { PublicVault } from "../../generated/PublicVault";
import type { Settings } from "../../generated/Settings";
import type { Timeline } from "../../generated/Timeline";
import { request, RequestError } from "./request";

export interface SettingsChange {
  backend?: { url?: string; token?: string | null };
  vault?: PublicVault | null;
}

const part = encodeURIComponent;

export const getHealth = (): Promise<Health> => request("GET", "/api/health");

export const getSettings = (): Promise<Settings> => request("GET", "/api/settings");

export const changeSettings = (change: SettingsChange): Promise<Settings> =>
  request("PATCH", "/api/settings", { body: change });

export const getCoins = async (): Promise<Coin[]> =>
  (await request<Coins>("GET", "/api/vaults/active/coins")).coins;

export const getCall = (id: string): Promise<Call> => request("GET", `/api/calls/${part(id)}`);

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

export const answerPrompt = (id: string, approve: boolean): Promise<Prompt> =>
  request("POST", `/api/prompts/${part(id)}`, { body: { approve } });

/** Runs one tool as the person at the keyboard. The fresh id makes a repeated request answer from the record. */
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
