// The texts of the pages: one file an area and language in locales/, together the messages.json that Chrome reads.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "locales");
const LANGUAGES = ["en", "de"];

/** All messages of a language, sorted by area. */
export function messagesOf(language) {
  const areas = readdirSync(join(folder, language)).filter((name) => name.endsWith(".json")).sort();
  return Object.assign({}, ...areas.map((name) => JSON.parse(readFileSync(join(folder, language, name), "utf8"))));
}

/** Writes `_locales/{language}/messages.json` for each language into `out`. */
export function writeMessages(out) {
  for (const language of LANGUAGES) {
    const place = join(out, "_locales", language);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "messages.json"), JSON.stringify(messagesOf(language)));
  }
}
