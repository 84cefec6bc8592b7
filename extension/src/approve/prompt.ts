// One prompt on the page: its content and its buttons.

import type { Bundle } from "../../generated/Bundle";
import type { Call } from "../../generated/Call";
import type { MessageView } from "../../generated/MessageView";
import type { Prompt } from "../../generated/Prompt";
import { getBundle, getCall, getMessage, getPageAddresses, getSettings, getVaults } from "../popup/api";
import type { Answers } from "../popup/prompt/answers";
import type { Elicitation } from "../popup/prompt/elicitation";
import { approvalParts } from "./approval";
import { confirmationParts } from "./confirmation";
import { connectionParts, type ConnectionAsked, type ConnectPrompt } from "./connection";
import { serverQuestionParts } from "./elicitation";
import { messageParts } from "./message";
import { passwordParts } from "./password";

/** The parts of a prompt. The buttons stay visible however long the rest is. */
export interface Parts {
  body: HTMLElement;
  buttons: HTMLElement;
  /** The element that gets the focus; by default the heading. */
  focus?: HTMLElement;
}

type PasswordPrompt = Extract<Prompt, { kind: "password_required" }>;

/** What the password is for: a bundle or a message to sign, or a call whose request has secrets. */
export type PasswordSubject = { bundle: Bundle } | { message: MessageView } | { call: Call };

/** A prompt with the records that it is about. */
export type Asked =
  | { kind: "tx_bundle_approval"; bundle: Bundle }
  | { kind: "message_approval"; message: MessageView }
  | { kind: "password_required"; prompt: PasswordPrompt; about: PasswordSubject; minutes: number }
  | { kind: "confirmation_required"; prompt: Prompt; call: Call }
  | { kind: "elicitation"; prompt: Elicitation; call: Call }
  | ({ kind: "connect_dapp" } & ConnectionAsked);

export async function load(prompt: Prompt): Promise<Asked> {
  switch (prompt.kind) {
    case "tx_bundle_approval":
      return { kind: prompt.kind, bundle: await getBundle(prompt.callId) };
    case "message_approval":
      return { kind: prompt.kind, message: await getMessage(prompt.callId) };
    case "password_required": {
      const [about, settings] = await Promise.all([passwordSubject(prompt), getSettings()]);
      return { kind: prompt.kind, prompt, about, minutes: settings.autoLockMinutes };
    }
    case "confirmation_required":
      return { kind: prompt.kind, prompt, call: await getCall(prompt.callId) };
    case "elicitation":
      return { kind: prompt.kind, prompt, call: await getCall(prompt.callId) };
    case "connect_dapp":
      return { kind: prompt.kind, ...(await connectionAsked(prompt)) };
  }
}

async function connectionAsked(prompt: ConnectPrompt): Promise<ConnectionAsked> {
  const vault = (await getVaults()).find(({ active }) => active);
  return { prompt, vaultName: vault?.name ?? "", addresses: vault ? await getPageAddresses() : [] };
}

async function passwordSubject({ why, callId }: PasswordPrompt): Promise<PasswordSubject> {
  if (why === "secrets") return { call: await getCall(callId) };
  return why === "message" ? { message: await getMessage(callId) } : { bundle: await getBundle(callId) };
}

/** The digest of the record that is shown. */
export function shownIn(asked: Asked): string | undefined {
  switch (asked.kind) {
    case "tx_bundle_approval":
      return asked.bundle.shown;
    case "message_approval":
      return asked.message.shown;
    case "password_required":
      return shownWith(asked.about);
    case "confirmation_required":
      return asked.call.shown;
    case "elicitation":
      // The question is the prompt itself.
      return asked.prompt.subject;
    case "connect_dapp":
      return undefined;
  }
}

function shownWith(about: PasswordSubject): string | undefined {
  if ("bundle" in about) return about.bundle.shown;
  return "message" in about ? about.message.shown : about.call.shown;
}

export function partsOf(asked: Asked, answers: Answers): Parts {
  switch (asked.kind) {
    case "tx_bundle_approval":
      return approvalParts(asked.bundle, answers);
    case "message_approval":
      return messageParts(asked.message, answers);
    case "password_required":
      return passwordParts(asked, answers);
    case "confirmation_required":
      return confirmationParts(asked.call, asked.prompt, answers);
    case "elicitation":
      return serverQuestionParts(asked.call, asked.prompt, answers);
    case "connect_dapp":
      return connectionParts(asked, answers);
  }
}
