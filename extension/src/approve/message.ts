// The approval of a message that a website wants signed: who asks, what it allows, and until when.

import type { MessageKind } from "../../generated/MessageKind";
import type { MessageView } from "../../generated/MessageView";
import type { SignIn } from "../../generated/SignIn";
import { senderWords } from "../popup/bundle/bundle";
import { warningList, warnings } from "../popup/bundle/reasons";
import { descriptionPart } from "../popup/bundle/descriptor";
import { transactionEffects } from "../popup/bundle/step";
import { h, type Child } from "../popup/element";
import { t, tParts } from "../popup/i18n";
import { originHeader } from "../popup/origin";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import { reasonField } from "../popup/prompt/reason";
import type { Parts } from "./prompt";

/** What the user is asked, by what the message allows. */
const QUESTIONS: Record<MessageKind, string> = {
  text: t("message_ask_text"),
  bytes: t("message_ask_bytes"),
  sign_in: t("message_ask_sign_in"),
  malformed_sign_in: t("message_ask_text"),
  permit: t("message_ask_permit"),
  transfer: t("message_ask_transfer"),
  order: t("message_ask_order"),
  safe_transaction: t("message_ask_safe"),
  delegation: t("message_ask_delegation"),
  revocation: t("message_ask_revocation"),
  unknown: t("message_ask_unknown"),
};

/** What a signature of this kind is, in a sentence. */
const MEANINGS: Record<MessageKind, string> = {
  text: t("message_means_text"),
  bytes: t("message_means_bytes"),
  sign_in: t("message_means_sign_in"),
  malformed_sign_in: t("message_means_text"),
  permit: t("message_means_permit"),
  transfer: t("message_means_transfer"),
  order: t("message_means_order"),
  safe_transaction: t("message_means_safe"),
  delegation: t("message_means_delegation"),
  revocation: t("message_means_revocation"),
  unknown: t("message_means_unknown"),
};

/** The end of the year 9999 stands for no end. */
const NO_END = 253_402_300_799_000;

export function messageParts(message: MessageView, answers: Answers): Parts {
  const why = reasonField(senderWords(message.source));
  const approve = answers.button({
    words: message.kind === "sign_in" ? t("message_sign_in_now") : t("message_sign_now"),
    approves: true,
    busy: t("approve_approving"),
    testId: "prompt-approve",
    tone: "primary",
    answer: () => ({ approve: true }),
  });
  const reject = answers.button({
    words: t("approve_reject"),
    approves: false,
    busy: t("approve_rejecting"),
    testId: "prompt-reject",
    answer: () => ({ approve: false, ...why.given() }),
  });
  return {
    body: h(
      "div",
      { class: "asked" },
      h("h1", { tabindex: -1, "data-testid": "message-kind", "data-kind": message.kind }, QUESTIONS[message.kind]),
      messageFacts(message),
      messagePart(message),
      why.element,
    ),
    buttons: h("div", { class: "buttons" }, reject, approve, answers.why),
  };
}

/** The website, the vault and the account that would sign. */
export function messageFacts({ source, vaultName, account, chain }: MessageView): HTMLElement {
  return h(
    "div",
    { class: "about" },
    source.kind === "dapp" && originHeader(source.origin),
    h("p", { class: "muted small" }, ...tParts("message_facts", h("b", {}, plain(vaultName)), h("b", {}, chain))),
    h("p", { class: "muted small" }, h("code", {}, plain(account))),
  );
}

/** What the message allows, its warnings, its text, and every field of it. */
export function messagePart(message: MessageView): HTMLElement {
  const { kind, verdict, step, text, signIn, domain, until } = message;
  const risks = warnings("reasons" in verdict ? verdict.reasons : []);
  const [decoded] = step.transactions;
  const isPlain = kind === "text" || kind === "bytes" || kind === "sign_in" || kind === "malformed_sign_in";
  const facts: Child[] = [];
  if (until !== null) facts.push(h("dt", {}, t("message_until")), h("dd", {}, untilWords(until)));
  if (domain !== null) {
    facts.push(h("dt", {}, t("message_contract")), h("dd", {}, ...contractWords(domain.verifyingContract, domain.contractName)));
    if (domain.name !== null) facts.push(h("dt", {}, t("message_domain")), h("dd", {}, h("q", {}, plain(domain.name))));
  }
  return h(
    "div",
    { class: "asked-message", "data-testid": "message-part" },
    h("p", {}, MEANINGS[kind]),
    risks.length > 0 && h("div", { "data-testid": "message-warning" }, warningList(risks)),
    !isPlain && decoded !== undefined && transactionEffects(decoded.explanation),
    facts.length > 0 && h("dl", { class: "facts" }, ...facts),
    signIn !== null && signInPart(signIn),
    text !== null && textPart(text, signIn !== null),
    descriptionPart(decoded?.description),
    detailsPart(message),
  );
}

/** The text as it is signed; that of a sign-in is said above it, and opens. */
function textPart(text: string, isSaid: boolean): HTMLElement {
  const whole = h("pre", { class: "message-text", "data-testid": "message-text" }, plain(text));
  return isSaid ? h("details", { class: "choice" }, h("summary", {}, t("message_whole_text")), whole) : whole;
}

function contractWords(address: string | null, name: string | null): Child[] {
  if (address === null) return [t("message_no_contract")];
  const known = name === null ? t("message_contract_unknown") : name;
  return [plain(address), h("span", { class: "standing" }, plain(known))];
}

function untilWords(until: number): string {
  if (until >= NO_END) return t("message_no_end");
  return dateWords(new Date(until));
}

const dateWords = (date: Date): string => date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A time as people read it; one that cannot be read is shown as it is written. */
function timeWords(text: string | null): string | null {
  if (text === null) return null;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : dateWords(date);
}

/** The site and the session of a sign-in. The site is the one that asks: a sign-in for another is refused. */
function signInPart(signIn: SignIn): HTMLElement {
  const { domain, statement, uri, chainId, nonce, issuedAt, expirationTime, notBefore, requestId, resources } = signIn;
  const line = (name: string, value: string | null): Child[] =>
    value === null ? [] : [h("dt", {}, name), h("dd", {}, plain(value))];
  return h(
    "div",
    { class: "sign-in", "data-testid": "message-sign-in" },
    statement !== null && h("blockquote", {}, plain(statement)),
    h(
      "dl",
      { class: "facts" },
      ...line(t("message_site"), domain),
      ...line(t("message_uri"), uri),
      ...line(t("message_chain"), chainId),
      ...line(t("message_issued"), timeWords(issuedAt)),
      ...line(t("message_expires"), timeWords(expirationTime) ?? t("message_no_expiry")),
      ...line(t("message_not_before"), timeWords(notBefore)),
      ...line(t("message_request_id"), requestId),
      ...line(t("message_nonce"), nonce),
      ...resources.flatMap((resource) => line(t("message_resource"), resource)),
    ),
  );
}

/** Every field as it is signed. */
function detailsPart({ fields, primaryType }: MessageView): HTMLElement | undefined {
  if (fields.length === 0) return undefined;
  const lines = fields.flatMap(({ name, value }): Child[] => [h("dt", {}, h("code", {}, plain(name))), h("dd", {}, plain(value))]);
  return h(
    "details",
    { class: "choice", "data-testid": "message-details" },
    h("summary", {}, t("message_details")),
    primaryType !== null && h("p", { class: "hint" }, ...tParts("message_type", h("code", {}, plain(primaryType)))),
    h("dl", { class: "facts" }, ...lines),
  );
}
