// One prompt on the page: its content and its buttons.

import type { Bundle } from "../../generated/Bundle";
import type { Call } from "../../generated/Call";
import type { Prompt } from "../../generated/Prompt";
import { getBundle, getCall, getSettings } from "../popup/api";
import type { Answers } from "../popup/prompt/answers";
import { approvalParts } from "./approval";
import { confirmationParts } from "./confirmation";
import { connectionParts } from "./connection";
import { passwordParts } from "./password";

/** The parts of a prompt. The buttons stay visible however long the rest is. */
export interface Parts {
  body: HTMLElement;
  buttons: HTMLElement;
  /** The element that gets the focus; by default the heading. */
  focus?: HTMLElement;
}

type PasswordPrompt = Extract<Prompt, { kind: "password_required" }>;

/** A prompt with the records that it is about. */
export type Asked =
  | { kind: "tx_bundle_approval"; bundle: Bundle }
  | { kind: "password_required"; prompt: PasswordPrompt; bundle: Bundle; minutes: number }
  | { kind: "confirmation_required"; prompt: Prompt; call: Call }
  | { kind: "connect_dapp"; origin: string };

export async function load(prompt: Prompt): Promise<Asked> {
  switch (prompt.kind) {
    case "tx_bundle_approval":
      return { kind: prompt.kind, bundle: await getBundle(prompt.callId) };
    case "password_required": {
      const [bundle, settings] = await Promise.all([getBundle(prompt.callId), getSettings()]);
      return { kind: prompt.kind, prompt, bundle, minutes: settings.autoLockMinutes };
    }
    case "confirmation_required":
      return { kind: prompt.kind, prompt, call: await getCall(prompt.callId) };
    case "connect_dapp":
      return { kind: prompt.kind, origin: prompt.origin };
  }
}

/** The digest of the record that is shown. */
export function shownIn(asked: Asked): string | undefined {
  switch (asked.kind) {
    case "tx_bundle_approval":
    case "password_required":
      return asked.bundle.shown;
    case "confirmation_required":
      return asked.call.shown;
    case "connect_dapp":
      return undefined;
  }
}

export function partsOf(asked: Asked, answers: Answers): Parts {
  switch (asked.kind) {
    case "tx_bundle_approval":
      return approvalParts(asked.bundle, answers);
    case "password_required":
      return passwordParts(asked, answers);
    case "confirmation_required":
      return confirmationParts(asked.call, asked.prompt, answers);
    case "connect_dapp":
      return connectionParts(asked.origin, answers);
  }
}
