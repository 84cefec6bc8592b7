// The texts of the pages in the browser's language. They are in locales/, one file an area; nothing of it is bundled.

import type activity from "../../locales/en/activity.json";
import type agent from "../../locales/en/agent.json";
import type app from "../../locales/en/app.json";
import type approve from "../../locales/en/approve.json";
import type bundle from "../../locales/en/bundle.json";
import type call from "../../locales/en/call.json";
import type common from "../../locales/en/common.json";
import type contacts from "../../locales/en/contacts.json";
import type descriptors from "../../locales/en/descriptors.json";
import type error from "../../locales/en/error.json";
import type fee from "../../locales/en/fee.json";
import type mcp from "../../locales/en/mcp.json";
import type message from "../../locales/en/message.json";
import type onboarding from "../../locales/en/onboarding.json";
import type prompt from "../../locales/en/prompt.json";
import type settings from "../../locales/en/settings.json";
import type sites from "../../locales/en/sites.json";
import type tools from "../../locales/en/tools.json";
import type vaults from "../../locales/en/vaults.json";
import type wallet from "../../locales/en/wallet.json";
import type { Child } from "./element";

/** A text that both languages have. */
export type MessageKey = keyof (typeof activity &
  typeof agent &
  typeof app &
  typeof approve &
  typeof bundle &
  typeof call &
  typeof common &
  typeof contacts &
  typeof descriptors &
  typeof error &
  typeof fee &
  typeof mcp &
  typeof message &
  typeof onboarding &
  typeof prompt &
  typeof settings &
  typeof sites &
  typeof tools &
  typeof vaults &
  typeof wallet);

/** The text of a key, with the values for its `$1` to `$9`. */
export function t(key: MessageKey, ...values: readonly (string | number)[]): string {
  return chrome.i18n.getMessage(key, values.map(String));
}

/** The language of the texts: English where the browser's own is not one of ours. */
const LANGUAGE = t("app_language");

/** Whether the texts are in the language of the core's own sentences. */
export const speaksEnglish = LANGUAGE === "en";

const browserLanguage = chrome.i18n.getUILanguage();

/** For dates, numbers and plurals: the browser's own variant of the texts' language. */
export const LOCALE = browserLanguage.split("-", 1)[0] === LANGUAGE ? browserLanguage : LANGUAGE;

const PLURALS = new Intl.PluralRules(LOCALE);

/** Chooses between two texts by a number: `t(plural(n, "x_one", "x_other"), n)`. */
export function plural(amount: number, one: MessageKey, other: MessageKey): MessageKey {
  return PLURALS.select(amount) === "one" ? one : other;
}

/** Private-use characters, which no text has. */
const FIRST_MARK = 0xe001;
const MARKS = /([\ue001-\ue009])/u;

/** A text whose values are elements: `h("p", {}, ...tParts("sent_as", h("code", {}, type)))`. */
export function tParts(key: MessageKey, ...values: readonly Child[]): Child[] {
  const marks = values.map((_, place) => String.fromCodePoint(FIRST_MARK + place));
  return t(key, ...marks)
    .split(MARKS)
    .filter((piece) => piece !== "")
    .map((piece) => (marks.includes(piece) ? values[marks.indexOf(piece)] : piece));
}

/** A label inside a sentence. English writes it small; German keeps the capitals of its nouns. */
export const inSentence = (label: string): string => (speaksEnglish ? label.toLowerCase() : label);

/** Sets the page's language and title: Chrome translates the manifest, and no HTML. */
export function localisePage(title: MessageKey): void {
  document.documentElement.lang = LANGUAGE;
  document.title = t(title);
}
