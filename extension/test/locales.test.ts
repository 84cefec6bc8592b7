// Every text that a person reads is there in every language.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import manifest from "../../manifest.json";
import { tParts } from "../src/popup/i18n";
import { read, type Found } from "./untranslated";

type Messages = Record<string, { message: string }>;

const LANGUAGES = ["en", "de"] as const;
const PAGES = ["popup", "approve", "onboarding", "tools"];

/** Texts that are the same in every language, with the reason. */
const SAME: Record<string, string> = {
  Countersign: "the product's name",
  Ethereum: "the name of a chain",
  "https://site.example": "an address as an example",
  "https://node.example": "an address as an example",
  "https://agent.example": "an address as an example",
  "form input": "a selector",
  "The worker gave no result.": "for the log; the error's code has a sentence",
  "The worker answered ${…}.": "for the log; the error's code has a sentence",
  "No answer.": "for the log; the error's code has a sentence",
};

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .sort();

const areasOf = (language: string): [area: string, messages: Messages][] =>
  readdirSync(join("locales", language)).map((name) => [
    name.replace(".json", ""),
    JSON.parse(readFileSync(join("locales", language, name), "utf8")) as Messages,
  ]);

const messagesOf = (language: string): Messages => Object.assign({}, ...areasOf(language).map(([, area]) => area));

const placeholders = (message: string): string[] => [...new Set(message.match(/\$[1-9]/g) ?? [])].sort();

const existing = new Set(readdirSync("src"));
const sources = PAGES.filter((page) => existing.has(page))
  .flatMap((page) => filesIn(join("src", page), ".ts"))
  .map((file) => read(file, readFileSync(file, "utf8")));

const english = messagesOf("en");

/** T002-86: no language lacks a text, or a value in it. */
it("both languages have the same texts, with the same values in them", () => {
  const german = messagesOf("de");
  assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
  for (const [key, { message }] of Object.entries(english)) {
    assert.deepEqual(placeholders(german[key]?.message ?? ""), placeholders(message), key);
  }
});

it("a text's key is in the file of its area, once, and no text is empty or has a stray dollar sign", () => {
  for (const language of LANGUAGES) {
    const keys = areasOf(language).flatMap(([area, messages]) =>
      Object.entries(messages).map(([key, { message }]) => {
        assert.match(key, new RegExp(`^${area}(_[a-z0-9]+)+$`), "Chrome does not tell keys apart by their case");
        assert.match(message, /\S/, key);
        assert.doesNotMatch(message, /\$(?![1-9])/, key);
        return key;
      }),
    );
    assert.equal(new Set(keys).size, keys.length);
  }
});

/** T002-86: what a page asks for exists, and nothing else does. */
it("no text is missing, none is unused, each gets its values", () => {
  const named = new Set(sources.flatMap(({ literals }) => [...literals]));
  for (const [, key = ""] of JSON.stringify(manifest).matchAll(/__MSG_(\w+)__/g)) named.add(key);
  assert.deepEqual(Object.keys(english).filter((key) => !named.has(key)), [], "unused");
  for (const { file, line, keys, values } of sources.flatMap(({ uses }) => uses)) {
    for (const key of keys) {
      const message = english[key]?.message;
      assert.ok(message !== undefined, `${file}:${line}: ${key} is missing`);
      if (values !== undefined) assert.equal(values, placeholders(message).length, `${file}:${line}: values of ${key}`);
    }
  }
});

/** T002-86: no page has a text of its own. */
it("every text on a page comes from the locales", () => {
  const found = sources.flatMap(({ untranslated }) => untranslated);
  const open = found.filter(({ text }) => !Object.hasOwn(SAME, text));
  assert.deepEqual(open.map(where), []);
  const unneeded = Object.keys(SAME).filter((text) => !found.some((one) => one.text === text));
  assert.deepEqual(unneeded, [], "no longer on any page");
});

const where = ({ file, line, text }: Found): string => `${file}:${line}: ${text}`;

/** T002-86: the test above would notice. */
it("an untranslated text is found wherever it is", () => {
  const planted = `
    h("p", { class: "muted small" }, "Two words");
    h("p", {}, "fee");
    h("button", { "aria-label": "send", "data-testid": "send it" }, icon("send"));
    const WORDS = { done: "Done", failed: t("call_failed") };
    button.title = open ? "hide" : t("show");
    fill(list, \`\${amount} more\`);
    const says = sender + " says so";
    t("common_saved_by", "the agent");
    input.setAttribute("placeholder", "name");
  `;
  assert.deepEqual(
    read("planted.ts", planted).untranslated.map(({ line, text }) => `${line}: ${text}`),
    [
      "2: Two words",
      "3: fee",
      "4: send",
      "5: Done",
      "6: hide",
      "7: ${…} more",
      "8:  says so",
      "9: the agent",
      "10: name",
    ],
  );
  const clean = `
    import { h } from "./Some module";
    type Shape = "Wide shape";
    h("p", { class: wide ? "a b" : "c", rel: "noopener noreferrer", "data-testid": \`\${x} y\` }, t("common_add"));
    if (event.key === "Escape" || ["Enter", " "].includes(event.key)) row.querySelector("form input")?.focus();
    h("span", {}, "· ", \`\${a}: \${b}\`, ...tParts("common_x", h("code", {}, type)));
    const icon = { d: "M12 19V5.5m-6 6l6-6 6 6" };
    request("GET", \`/api/calls/\${id}\`);
  `;
  assert.deepEqual(read("clean.ts", clean).untranslated, []);
});

it("the error names the word that confirms a deletion", () => {
  for (const language of LANGUAGES) {
    const messages = messagesOf(language);
    const word = messages["settings_delete_word"]?.message ?? "";
    assert.match(messages["error_not_confirmed"]?.message ?? "", new RegExp(`[“„]${word}[”“]`), language);
  }
});

it("a page's HTML has the product's name and no other text", () => {
  for (const file of filesIn("src", ".html")) {
    const text = readFileSync(file, "utf8").replace(/<[^>]*>/g, " ").trim();
    assert.equal(text, "Countersign", file);
  }
});

it("elements stand where the text has its values", () => {
  const value = {} as Node;
  assert.deepEqual(tParts("agent_sent_as", value), ["Sent as ", value]);
  assert.deepEqual(tParts("app_name"), ["Countersign"]);
});
