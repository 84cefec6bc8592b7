// What an MCP server wants to know before it goes on: a form, or an address to open. In the conversation and on the
// approval page.

import type { Prompt } from "../../../generated/Prompt";
import { h } from "../element";
import { t, tParts } from "../i18n";
import type { Schema } from "../json/schema";
import { SchemaForm } from "../json/schema-form";
import { plain } from "../plain";
import type { Answers } from "./answers";

export type Elicitation = Extract<Prompt, { kind: "elicitation" }>;

/** The page places the parts. */
export interface ElicitationParts {
  body: HTMLElement;
  buttons: HTMLElement;
  focus: HTMLElement | undefined;
}

/** An address that a tab may open: of the web, and shown as the browser reads it. */
export function openable(address: string): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const isWeb = url.protocol === "https:" || (url.protocol === "http:" && isLocal);
  // A name before the host would look like one.
  return isWeb && url.username === "" && url.password === "" ? url : undefined;
}

export function elicitationParts(prompt: Elicitation, answers: Answers): ElicitationParts {
  const { server, message, schema, url } = prompt;
  const says = h(
    "div",
    {},
    h("p", { class: "detail-label" }, ...tParts("prompt_server_asks", h("b", { "data-testid": "prompt-server" }, plain(server)))),
    h("blockquote", { class: "server-words", "data-testid": "prompt-server-words" }, plain(message)),
  );
  const decline = answers.button({
    words: t("prompt_decline"),
    approves: false,
    busy: t("prompt_rejecting"),
    testId: "prompt-reject",
    answer: () => ({ approve: false }),
  });
  const { parts, give, focus } = url === undefined ? formParts(schema as Schema | undefined, answers) : addressParts(url, answers);
  return {
    body: h("div", { class: "elicitation" }, says, ...parts, h("p", { class: "hint" }, url === undefined ? t("prompt_server_hint", plain(server)) : t("prompt_address_hint"))),
    buttons: h("div", { class: "buttons" }, decline, give, answers.why),
    focus,
  };
}

/** Where the answer has what was filled in. */
const CONTENT = "/content";

interface Middle {
  parts: readonly HTMLElement[];
  /** The button that agrees. */
  give: HTMLElement | undefined;
  focus: HTMLElement | undefined;
}

function formParts(schema: Schema | undefined, answers: Answers): Middle {
  const form = new SchemaForm(schema ?? { type: "object" });
  const give = answers.button({
    words: t("prompt_send"),
    approves: true,
    busy: t("prompt_sending"),
    testId: "prompt-submit",
    tone: "primary",
    ready: () => form.read() !== undefined,
    answer: () => ({ approve: true, content: form.read()?.value ?? {} }),
    refused: ({ path, message }) => {
      if (path === undefined || !path.startsWith(CONTENT)) return false;
      form.showError(path.slice(CONTENT.length), plain(message));
      return true;
    },
  });
  const focus = form.element.querySelector<HTMLElement>("input, select, textarea") ?? undefined;
  return { parts: form.isEmpty ? [] : [form.element], give, focus };
}

function addressParts(address: string, answers: Answers): Middle {
  const url = openable(address);
  const whole = h("code", { class: "whole-address", "data-testid": "prompt-address" }, plain(address));
  if (!url) return { parts: [whole, h("p", { class: "problem" }, t("prompt_address_refused"))], give: undefined, focus: undefined };
  const give = answers.button({
    words: t("prompt_open_address"),
    approves: true,
    busy: t("prompt_opening"),
    testId: "prompt-submit",
    tone: "primary",
    answer: () => ({ approve: true }),
    // After the answer is recorded: a popup closes when a tab opens.
    given: () => void chrome.tabs.create({ url: url.href }),
  });
  const host = h("p", { class: "origin", "data-testid": "prompt-host" }, plain(url.host));
  return { parts: [h("p", {}, t("prompt_address_text")), host, whole], give, focus: undefined };
}
