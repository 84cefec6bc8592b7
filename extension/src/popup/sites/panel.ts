// Web pages: where the wallet is offered, which pages are connected, and which keep asking.

import { getSettings } from "../api";
import { fill, h } from "../element";
import { t } from "../i18n";
import { loading, problem } from "../parts";
import { AskingList, BadSiteList } from "./asking";
import { ConnectionList } from "./connections";
import { extensionList, siteList } from "./lists";
import { EVERYWHERE, modeForm } from "./mode-form";

export class SitesPanel {
  readonly element: HTMLElement;
  readonly #form = h("div", { class: "stack" }, loading(t("settings_loading")));
  readonly #connections = new ConnectionList();
  readonly #asking = new AskingList();
  readonly #bad = new BadSiteList();

  constructor() {
    this.element = h(
      "section",
      { class: "panel sites", "aria-label": t("sites_title"), "data-testid": "sites-panel" },
      h("h2", {}, t("sites_title")),
      h("p", { class: "hint" }, t("sites_hint")),
      this.#form,
      h("h3", {}, t("settings_sites")),
      h("p", { class: "hint" }, t("settings_sites_hint")),
      this.#connections.element,
      this.#asking.element,
      this.#bad.element,
    );
  }

  /** What pages do changes all the time. */
  async load(): Promise<void> {
    await Promise.all([this.#connections.load(), this.#asking.load()]);
  }

  /** The forms are not loaded again while shown, so that what is chosen stays. */
  async loadForms(): Promise<void> {
    try {
      const { pages } = await getSettings();
      const isMissing = pages.mode === "all" && !(await chrome.permissions.contains({ origins: [EVERYWHERE] }));
      const again = (): void => void this.loadForms();
      fill(
        this.#form,
        isMissing && h("p", { class: "warning", role: "alert", "data-testid": "pages-not-permitted" }, t("sites_not_permitted")),
        modeForm(pages, again),
        pages.mode === "sites" && pages.sites.length > 0 && h("h3", {}, t("sites_chosen")),
        pages.mode === "sites" && siteList(pages.sites, again),
        extensionList(pages.extensions, again),
      );
      await this.#bad.load();
    } catch (error) {
      fill(
        this.#form,
        problem(error, () => void this.loadForms()),
      );
    }
  }
}
