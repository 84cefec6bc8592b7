// The first step: create, import or watch a vault.

import { h, icon, type IconName } from "../popup/element";
import { t } from "../popup/i18n";
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
  title: t("onboarding_create_title"),
  text: t("onboarding_create_text"),
};

const IMPORT: readonly Way[] = [
  {
    name: "phrase",
    testId: "onboarding-import-phrase",
    icon: "words",
    title: t("onboarding_phrase_name"),
    text: t("onboarding_phrase_text"),
  },
  {
    name: "file",
    testId: "onboarding-import-file",
    icon: "file",
    title: t("onboarding_file_name"),
    text: t("onboarding_file_text"),
  },
  {
    name: "keys",
    testId: "onboarding-import-keys",
    icon: "key",
    title: t("onboarding_keys_name"),
    text: t("onboarding_keys_text"),
  },
];

const WATCH: Way = {
  name: "watch",
  testId: "onboarding-watch",
  icon: "eye",
  title: t("onboarding_watch_name"),
  text: t("onboarding_watch_text"),
};

export function chooseStep(isFirst: boolean): Step {
  const title = isFirst ? t("onboarding_first_title") : t("onboarding_add_title");
  const element = h(
    "section",
    { class: "view page onboarding", "aria-label": title },
    h("h1", { tabindex: -1 }, title),
    h("p", { class: "muted" }, t("onboarding_lead")),
    card(CREATE, "main-way"),
    h("h2", {}, t("onboarding_have_one")),
    ...IMPORT.map((way) => card(way)),
    h("h2", {}, t("onboarding_just_looking")),
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
