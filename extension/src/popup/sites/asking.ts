// Sites that keep asking though the user said no, sites that the user blocked, and the list of bad sites.

import type { Site } from "../../../generated/Site";
import type { SiteList } from "../../../generated/SiteList";
import { changeSite, getSiteList, getSites, putSiteList } from "../api";
import { fill, h } from "../element";
import { fullTime } from "../format";
import { plural, t } from "../i18n";
import { originLine } from "../origin";
import { problem, whileBusy } from "../parts";
import { plain } from "../plain";

/** The largest file that is read. */
const MAX_FILE_BYTES = 16 << 20;

export class AskingList {
  readonly element = h("div", { class: "stack" });

  async load(): Promise<void> {
    void forgetBadge().catch(() => undefined);
    try {
      const sites = (await getSites()).filter(isNotable);
      if (sites.length === 0) return fill(this.element);
      fill(this.element, h("h3", {}, t("sites_asking")), h("ul", { class: "rules" }, ...sites.map((site) => this.#row(site))));
    } catch (error) {
      fill(this.element, problem(error));
    }
  }

  #row(site: Site): HTMLElement {
    const { origin, blocked } = site;
    const row = h(
      "li",
      { "data-testid": "site-row", "data-origin": origin, "data-blocked": String(blocked) },
      h("span", { class: "rule-main" }, originLine(origin), h("span", { class: "muted small" }, siteWords(site))),
    );
    const press = (testId: string, words: string, label: string, change: Parameters<typeof changeSite>[1]): HTMLElement => {
      const button = h("button", { type: "button", "aria-label": label, "data-testid": testId }, words);
      button.addEventListener("click", () => {
        whileBusy(button, t("settings_saving"), () => changeSite(origin, change)).then(
          () => this.load(),
          (error: unknown) => row.append(problem(error)),
        );
      });
      return button;
    };
    const name = plain(origin);
    if (site.listed !== null && !site.letIn) {
      row.append(press("site-let-in", t("sites_let_in"), t("sites_let_in_site", name), { letIn: true }));
    }
    row.append(
      blocked
        ? press("site-block", t("sites_unblock"), t("sites_unblock_site", name), { blocked: false })
        : press("site-block", t("sites_block"), t("sites_block_site", name), { blocked: true }),
    );
    return row;
  }
}

/** The mark on the icon has done its work once the list is seen. */
async function forgetBadge(): Promise<void> {
  if ((await chrome.action.getBadgeText({})) === "!") await chrome.action.setBadgeText({ text: "" });
}

/** Sites of which there is something to decide. */
const isNotable = ({ refused, blocked, listed, letIn }: Site): boolean => refused > 0 || blocked || (listed !== null && !letIn);

function siteWords({ blocked, listed, letIn, refused, lastAskedAt }: Site): string {
  if (blocked) return t("sites_is_blocked");
  if (listed !== null && !letIn) return t("sites_is_listed", plain(listed), fullTime(lastAskedAt));
  return t(plural(refused, "sites_asked_one", "sites_asked_other"), refused, fullTime(lastAskedAt));
}

/** Sites that are known to deceive, from a file that the user brings. */
export class BadSiteList {
  readonly element: HTMLElement;
  readonly #about = h("p", { class: "muted", role: "status", "data-testid": "bad-sites" });
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #remove = h("button", { type: "button", class: "quiet", "data-testid": "bad-sites-remove" }, t("sites_bad_remove"));

  constructor() {
    const file = h("input", { type: "file", accept: ".json,.txt,.csv", hidden: true, "data-testid": "bad-sites-file" });
    const choose = h("button", { type: "button", on: { click: () => file.click() } }, t("sites_bad_choose"));
    file.addEventListener("change", () => void this.#read(choose, file));
    this.#remove.addEventListener("click", () => void this.#store(this.#remove, () => putSiteList("")));
    this.element = h(
      "div",
      { class: "stack" },
      h("h3", {}, t("sites_bad")),
      h("p", { class: "hint" }, t("sites_bad_hint")),
      this.#about,
      this.#notice,
      h("div", { class: "buttons" }, this.#remove, choose, file),
    );
  }

  async load(): Promise<void> {
    try {
      this.#show(await getSiteList());
    } catch (error) {
      fill(this.#notice, problem(error));
    }
  }

  async #read(button: HTMLButtonElement, input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    if (!file) return;
    await this.#store(button, async () => {
      if (file.size > MAX_FILE_BYTES) throw new Error(t("sites_bad_too_large"));
      return putSiteList(await file.text());
    });
    input.value = "";
  }

  async #store(button: HTMLButtonElement, work: () => Promise<SiteList>): Promise<void> {
    fill(this.#notice);
    try {
      await whileBusy(button, t("settings_saving"), async () => this.#show(await work()));
    } catch (error) {
      fill(this.#notice, problem(error));
    }
  }

  #show({ count, updatedAt }: SiteList): void {
    this.#remove.hidden = count === 0;
    this.#about.textContent =
      count === 0
        ? t("sites_bad_none")
        : t(plural(count, "sites_bad_count_one", "sites_bad_count_other"), count, fullTime(updatedAt));
  }
}
