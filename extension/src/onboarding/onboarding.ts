// The page where a vault is made or brought: choose how, fill in one form, keep a backup, go on.

import type { VaultView } from "../../generated/VaultView";
import { getVaults } from "../popup/api";
import { fill, h } from "../popup/element";
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

const main = h("main", { id: "main" });
let shown: Step | undefined;

function show(step: Step): void {
  shown?.forget();
  shown = step;
  fill(main, step.element);
  // Where there is something to fill in or to press, there; otherwise a screen reader begins with the heading.
  const first = ["form input", "button.primary", "h1"].map((part) => step.element.querySelector<HTMLElement>(part));
  first.find((part) => part !== null)?.focus();
}

async function route(): Promise<void> {
  const way = Object.hasOwn(WAYS, location.hash.slice(1)) ? (location.hash.slice(1) as WayName) : undefined;
  if (way) return show(WAYS[way]({ back, made }));
  // Without an answer the page is of use all the same.
  const vaults = await getVaults().catch(() => []);
  show(chooseStep(vaults.length === 0));
}

function back(): void {
  location.hash = "";
}

function made(vault: VaultView, password?: string): void {
  // The way is done: loading the page again begins another.
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
// A page that the browser puts aside for the back button keeps its fields.
window.addEventListener("pagehide", () => shown?.forget());
void route();
