// The first step: create, import or watch a vault.

import { h, icon, type IconName } from "../popup/element";
import type { Step, WayName } from "./step";

interface Way {
  name: WayName;
  testId: string;
  icon: IconName;
  title: string;
  text: string;
}

const CREATE: Way = {
  name: "create",
  testId: "onboarding-create",
  icon: "plus",
  title: "Create a new vault",
  text: "New keys, created and kept on this computer. Choose this if you are new.",
};

const IMPORT: readonly Way[] = [
  {
    name: "phrase",
    testId: "onboarding-import-phrase",
    icon: "words",
    title: "Recovery phrase",
    text: "12 to 24 words from another wallet.",
  },
  {
    name: "file",
    testId: "onboarding-import-file",
    icon: "file",
    title: "Backup file",
    text: "A file saved by Countersign, or a .vult file.",
  },
  {
    name: "keys",
    testId: "onboarding-import-keys",
    icon: "key",
    title: "Private keys",
    text: "Both private keys and the chain code, as hexadecimal digits.",
  },
];

const WATCH: Way = {
  name: "watch",
  testId: "onboarding-watch",
  icon: "eye",
  title: "Watch only",
  text: "Public keys of a vault whose keys are elsewhere. You see its addresses but cannot sign.",
};

export function chooseStep(isFirst: boolean): Step {
  const title = isFirst ? "Set up your vault" : "Add a vault";
  const element = h(
    "section",
    { class: "view page onboarding", "aria-label": title },
    h("h1", { tabindex: -1 }, title),
    h("p", { class: "muted" }, "A vault holds the keys to your coins. An agent proposes; only you can sign."),
    card(CREATE, "main-way"),
    h("h2", {}, "I already have one"),
    ...IMPORT.map((way) => card(way)),
    h("h2", {}, "Just looking"),
    card(WATCH),
  );
  return { element, forget: () => {} };
}

function card(way: Way, more = ""): HTMLElement {
  return h(
    "a",
    { class: `way ${more}`, href: `#${way.name}`, "data-testid": way.testId },
    h("span", { class: "way-icon" }, icon(way.icon)),
    h("span", { class: "way-text" }, h("strong", {}, way.title), h("span", { class: "muted" }, way.text)),
  );
}
