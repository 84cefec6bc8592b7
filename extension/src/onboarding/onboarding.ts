// The onboarding page: choose how, fill in one form, save a backup, done.

import type { VaultView } from "../../generated/VaultView";
import { getVaults } from "../popup/api";
import { fill, h } from "../popup/element";
import { localisePage } from "../popup/i18n";
import { backupStep } from "./backup";
import { chooseStep } from "./choose";
import { createStep } from "./create";
import { doneStep } from "./done";
import { fileStep } from "./file";
import { keysStep } from "./keys";
import { phraseStep } from "./phrase";
import type { Path, Step, WayName } from "./step";
import { watchStep } from "./watch";

const WAYS: Record<WayName, (path: Path) => Step> = {
  create: createStep,
  phrase: phraseStep,
  keys: keysStep,
  file: fileStep,
  watch: watchStep,
};

localisePage("onboarding_page_title");
const main = h("main", { id: "main" });
let shown: Step | undefined;

function show(step: Step): void {
  shown?.forget();
  shown = step;
  fill(main, step.element);
  // The focus goes to the first input or button; otherwise to the heading, where a screen reader starts.
  const first = ["form input", "button.primary", "h1"].map((part) => step.element.querySelector<HTMLElement>(part));
  first.find((part) => part !== null)?.focus();
}

async function route(): Promise<void> {
  const way = Object.hasOwn(WAYS, location.hash.slice(1)) ? (location.hash.slice(1) as WayName) : undefined;
  if (way) return show(WAYS[way]({ back, made }));
  // The page works without the answer too.
  const vaults = await getVaults().catch(() => []);
  show(chooseStep(vaults.length === 0));
}

function back(): void {
  location.hash = "";
}

function made(vault: VaultView, password?: string): void {
  // Done: reloading the page starts over.
  history.replaceState(null, "", location.pathname);
  if (password === undefined) return show(doneStep(vault));
  show(backupStep(vault, password, (saved) => show(doneStep(vault, saved))));
}

document.documentElement.dataset["shape"] = "tab";
document.body.append(
  h(
    "header",
    { class: "top" },
    h(
      "a",
      { class: "brand", href: "popup.html?view=tab" },
      h("img", { src: "icons/32.png", alt: "", width: 24, height: 24 }),
      h("b", {}, "Countersign"),
    ),
  ),
  main,
);
window.addEventListener("hashchange", () => void route());
// The browser's back-forward cache would keep the fields.
window.addEventListener("pagehide", () => shown?.forget());
void route();
