// Settings: vaults, the agent, signing, rules, web pages, hosts of tools, endpoints and the state of the worker.

import type { Health } from "../../../generated/Health";
import { getHealth, getSettings } from "../api";
import { fill, h } from "../element";
import { duration, kilobytes } from "../format";
import { t } from "../i18n";
import { loading, problem, whileBusy } from "../parts";
import { backendForm } from "../settings/backend-form";
import { DescriptorsPanel } from "../settings/descriptors-panel";
import { EndpointsPanel } from "../settings/endpoints/panel";
import { PolicyPanel } from "../settings/policy/panel";
import { signingForm } from "../settings/signing-form";
import { VaultsPanel } from "../settings/vaults-panel";
import { SitesPanel } from "../sites/panel";
import { HostsPanel } from "../../tools/home/hosts-panel";
import type { Surroundings, View } from "../view";

export class SettingsView implements View {
  readonly element: HTMLElement;
  readonly #vaults = new VaultsPanel();
  readonly #policy = new PolicyPanel();
  readonly #sites = new SitesPanel();
  readonly #descriptors = new DescriptorsPanel();
  readonly #hosts = new HostsPanel(() => undefined);
  readonly #endpoints = new EndpointsPanel();
  readonly #forms = h("div", { class: "forms" }, loading(t("settings_loading")));
  readonly #health = h("div", { class: "health" });
  readonly #check = h("button", { type: "button", class: "link" }, t("settings_core_check"));

  constructor(private readonly around: Surroundings) {
    const check = (): Promise<void> => this.#loadHealth();
    this.#check.addEventListener("click", () => void whileBusy(this.#check, t("settings_core_checking"), check));
    this.element = h(
      "section",
      { class: "view page", "aria-label": t("settings_title") },
      h("h1", {}, t("settings_title")),
      this.#vaults.element,
      this.#forms,
      this.#policy.element,
      this.#sites.element,
      this.#descriptors.element,
      this.#hosts.element,
      this.#endpoints.element,
      h("div", { class: "panel" }, h("h2", {}, t("settings_core")), this.#health, h("div", {}, this.#check)),
    );
  }

  show(): void {
    void this.#loadForms();
    void this.#policy.load();
    void this.#descriptors.load();
    void this.#hosts.load();
    void this.#sites.loadForms();
    void this.#endpoints.load();
    void this.#loadHealth();
    // Forms are not reloaded while shown, so that typed text is kept.
    this.around.listen(undefined, {
      event: ({ event }) => {
        if (event === "vaultModified") {
          void this.#vaults.load();
          void this.#endpoints.load();
        }
        if (event === "connect_dapp") void this.#sites.load();
      },
      reload: () => {
        void this.#vaults.load();
        void this.#sites.load();
      },
    });
  }

  async #loadForms(): Promise<void> {
    try {
      const settings = await getSettings();
      fill(this.#forms, backendForm(settings.backend), signingForm(settings));
    } catch (error) {
      fill(
        this.#forms,
        problem(error, () => void this.#loadForms()),
      );
    }
  }

  async #loadHealth(): Promise<void> {
    try {
      fill(this.#health, ...wellBeing(await getHealth()));
    } catch (error) {
      fill(this.#health, problem(error));
    }
  }
}

function wellBeing({ version, startedAt, wasmBytes, work }: Health): HTMLElement[] {
  const size = wasmBytes > 0 ? ` · ${kilobytes(wasmBytes)}` : "";
  return [
    h(
      "p",
      { class: "well", "data-testid": "settings-health" },
      h("span", { class: "dot", "aria-hidden": "true" }),
      t("settings_core_running", version) + size,
    ),
    h(
      "p",
      { class: "hint" },
      `${t("settings_core_started", duration(Date.now() - startedAt))} `,
      work.length === 0 ? t("settings_core_idle") : t("settings_core_working", work.join(", ")),
    ),
  ];
}
