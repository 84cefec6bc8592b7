// The active vault and its lock state, always visible; and the list of all vaults.

import type { VaultView } from "../../../generated/VaultView";
import { getVaults } from "../api";
import { fill, h, icon } from "../element";
import type { WireEvent } from "../events";
import { t } from "../i18n";
import { iconButton, problem } from "../parts";
import { plain } from "../plain";
import { vaultRow } from "./row";
import { openSetup } from "./setup";
import { LOCK_ICONS, lockState, lockWords } from "./words";

export class VaultSwitcher {
  readonly element: HTMLElement;
  readonly #shown = h("span", {});
  readonly #list = h("ul", { class: "vault-list" });
  readonly #dialog: HTMLDialogElement;
  #vaults: VaultView[] = [];
  #lockTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(manage: () => void) {
    const close = (): void => this.#dialog.close();
    const toSettings = (): void => {
      close();
      manage();
    };
    this.#dialog = h(
      "dialog",
      { class: "vaults", "aria-label": t("vaults_title"), on: { keydown: (event) => this.#pressed(event) } },
      h(
        "div",
        { class: "title-row" },
        h("h2", {}, t("vaults_title")),
        iconButton("cross", t("vaults_close"), close, "vaults-close"),
      ),
      this.#list,
      h(
        "div",
        { class: "buttons" },
        h(
          "button",
          { type: "button", class: "quiet", "data-testid": "vault-manage", on: { click: toSettings } },
          t("vaults_manage"),
        ),
        h(
          "button",
          { type: "button", "data-testid": "vault-add", on: { click: openSetup } },
          icon("plus"),
          t("vaults_add"),
        ),
      ),
    );
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && close());
    this.#dialog.addEventListener("close", () => {
      fill(this.#list);
      // The button that opened it may have been rendered again since.
      this.#shown.querySelector("button")?.focus();
    });
    this.element = h("div", { class: "vault-switcher" }, this.#shown, this.#dialog);
  }

  take({ event }: WireEvent): void {
    if (event === "vaultModified") void this.load();
  }

  async load(): Promise<void> {
    try {
      this.#vaults = await getVaults();
    } catch (error) {
      // The view below shows the error; the shown vaults may be out of date.
      if (this.#dialog.open)
        fill(
          this.#list,
          problem(error, () => void this.load()),
        );
      return;
    }
    this.#render();
    clearTimeout(this.#lockTimer);
    const until = this.#vaults.flatMap(({ unlockedUntil }) => unlockedUntil ?? []).filter((at) => at > Date.now());
    if (until.length > 0) this.#lockTimer = setTimeout(() => this.#render(), Math.min(...until) - Date.now());
  }

  #render(): void {
    const hadFocus = this.#shown.contains(document.activeElement);
    const button = this.#button();
    fill(this.#shown, button);
    if (hadFocus) button.focus();
    // An open form is not replaced.
    if (this.#dialog.open && !this.#list.querySelector("form")) this.#renderList();
  }

  #button(): HTMLElement {
    const active = this.#vaults.find(({ active }) => active);
    if (!active && this.#vaults.length === 0) {
      const attributes = { type: "button", class: "primary", "data-testid": "vault-setup", on: { click: openSetup } };
      return h("button", attributes, t("vaults_set_up"));
    }
    const state = active ? lockState(active) : "locked";
    const name = active ? plain(active.name) : t("vaults_choose");
    const button = h(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-haspopup": "dialog",
        "data-testid": "vault-switcher",
        "data-state": state,
        title: active ? `${name}: ${lockWords(active)}` : name,
        on: { click: () => this.#open() },
      },
      icon(LOCK_ICONS[state]),
      h("span", { class: "vault-name" }, name),
      active && h("span", { class: "vault-state" }, lockWords(active)),
      icon("down"),
    );
    return button;
  }

  #open(): void {
    this.#renderList();
    this.#dialog.showModal();
    void this.load();
  }

  #renderList(): void {
    const changed = (): void => {
      this.#renderList();
      this.#dialog.querySelector<HTMLElement>("button")?.focus();
      void this.load();
    };
    fill(this.#list, ...this.#vaults.map((vault) => vaultRow(vault, changed)));
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    // In a popup, Esc would otherwise close the whole window.
    event.preventDefault();
    this.#dialog.close();
  }
}
