// Lists of the settings for web pages: the sites where the wallet is offered, and the extensions that may ask.

import { changeSettings, getSettings } from "../api";
import { fill, h, type Child } from "../element";
import { field, lineInput } from "../field";
import { taskForm } from "../form";
import { t } from "../i18n";
import { originLine } from "../origin";
import { iconButton, problem } from "../parts";
import { plain } from "../plain";

type Name = "sites" | "extensions";

async function change(name: Name, edit: (entries: string[]) => string[], password?: string): Promise<void> {
  const { pages } = await getSettings();
  await changeSettings({ pages: { [name]: edit(pages[name]) }, password });
}

function list(name: Name, entries: readonly string[], words: (entry: string) => Child, changed: () => void): HTMLElement {
  const rows = entries.map((entry) => {
    const slot = h("div", { class: "rule-slot" });
    const removed = (): void =>
      void change(name, (all) => all.filter((other) => other !== entry)).then(changed, (error: unknown) => fill(slot, problem(error)));
    const remove = iconButton("bin", t("sites_remove", plain(entry)), removed, `pages-${name}-remove`);
    return h("li", { "data-testid": `pages-${name}-row` }, h("span", { class: "rule-main" }, words(entry)), remove, slot);
  });
  return h("ul", { class: "rules" }, ...rows);
}

/** The sites that the user chose. */
export const siteList = (sites: readonly string[], changed: () => void): HTMLElement =>
  list("sites", sites, originLine, changed);

/** The extensions that may ask as pages do, and a form to name another. */
export function extensionList(extensions: readonly string[], changed: () => void): HTMLElement {
  const id = lineInput({ required: true, pattern: "[a-p]{32}", maxlength: 32, "data-testid": "pages-extension" });
  const form = taskForm({
    name: t("sites_extension_add"),
    body: [field(t("sites_extension_id"), id, t("sites_extension_hint"))],
    submit: [t("sites_extension_add"), t("settings_saving")],
    testId: "pages-extension-save",
    async run(password) {
      await change("extensions", (all) => [...all, id.value.trim()], password);
      changed();
    },
  });
  return h(
    "details",
    { class: "choice", open: extensions.length > 0 },
    h("summary", { "data-testid": "pages-extensions" }, t("sites_extensions")),
    list("extensions", extensions, (entry) => h("code", { dir: "ltr" }, plain(entry)), changed),
    form,
  );
}
