// All vaults with their operations.

import type { VaultView } from "../../../generated/VaultView";
import { getVaults } from "../api";
import { fill, h, icon } from "../element";
import { shortAddress } from "../format";
import { t } from "../i18n";
import { loading, problem } from "../parts";
import { plain } from "../plain";
import { openSetup } from "../vaults/setup";
import { KIND_WORDS, LOCK_ICONS, lockState } from "../vaults/words";
import { deleteForm, exportForm, passwordForm, renameForm, type Close } from "./vault-tasks";

type TaskName = "rename" | "change-password" | "export" | "delete";

const TASKS: Record<TaskName, { words: string; form: (vault: VaultView, close: Close) => HTMLFormElement }> = {
  export: { words: t("settings_task_backup"), form: exportForm },
  rename: { words: t("settings_task_rename"), form: renameForm },
  "change-password": { words: t("settings_task_password"), form: passwordForm },
  delete: { words: t("settings_task_delete"), form: deleteForm },
};

/** A watch-only vault has no secret to protect or to copy. */
const WATCH_TASKS: readonly TaskName[] = ["rename", "delete"];

export class VaultsPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading(t("settings_vaults_loading")));

  constructor() {
    const add = h(
      "button",
      { type: "button", "data-testid": "settings-vault-add", on: { click: openSetup } },
      icon("plus"),
      t("settings_vault_add"),
    );
    this.element = h(
      "section",
      { class: "panel", "aria-label": t("settings_vaults") },
      h("h2", {}, t("settings_vaults")),
      this.#list,
      h("div", { class: "buttons" }, add),
    );
  }

  async load(): Promise<void> {
    try {
      const vaults = await getVaults();
      // An open form is not replaced.
      if (this.#list.querySelector("form")) return;
      if (vaults.length === 0) return fill(this.#list, h("p", { class: "hint" }, t("settings_vaults_none")));
      fill(this.#list, h("ul", { class: "vault-list" }, ...vaults.map((vault) => this.#row(vault))));
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #row(vault: VaultView): HTMLElement {
    const names = Object.keys(TASKS) as TaskName[];
    const offered = vault.kind === "watch" ? names.filter((name) => WATCH_TASKS.includes(name)) : names;
    const slot = h("div", { class: "vault-task" });
    const open = (name: TaskName, button: HTMLElement): void => {
      const close: Close = (changed) => {
        fill(slot);
        button.focus();
        if (changed) void this.load();
      };
      fill(slot, TASKS[name].form(vault, close));
      slot.querySelector<HTMLElement>("input")?.focus();
    };
    const buttons = offered.map((name) => {
      const label = t("settings_task_of", TASKS[name].words, plain(vault.name));
      const button = h(
        "button",
        {
          type: "button",
          class: name === "delete" ? "danger" : undefined,
          "aria-label": label,
          "data-testid": `vault-${name}`,
        },
        TASKS[name].words,
      );
      button.addEventListener("click", () => open(name, button));
      return button;
    });
    const state = lockState(vault);
    return h(
      "li",
      { class: "vault-row", "data-testid": "settings-vault", "data-id": vault.id, "data-state": state },
      h("span", { class: "vault-icon" }, icon(LOCK_ICONS[state])),
      h(
        "div",
        { class: "vault-main" },
        h("strong", {}, plain(vault.name)),
        h("span", { class: "muted small" }, KIND_WORDS[vault.kind]),
        h("span", { class: "address muted", title: vault.publicKeyEcdsa }, shortAddress(vault.publicKeyEcdsa)),
      ),
      h("div", { class: "vault-tasks" }, ...buttons),
      slot,
    );
  }
}
