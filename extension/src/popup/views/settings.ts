// Where the agent is, who the person is to it, and whether the wallet's worker is well.

import type { Health } from "../../../generated/Health";
import { getHealth, getSettings } from "../api";
import { fill, h } from "../element";
import { duration, kilobytes } from "../format";
import { loading, problem, whileBusy } from "../parts";
import { backendForm } from "../settings/backend-form";
import { vaultForm } from "../settings/vault-form";
import type { Surroundings, View } from "../view";

export class SettingsView implements View {
  readonly element: HTMLElement;
  readonly #forms = h("div", { class: "forms" }, loading("Loading settings"));
  readonly #health = h("div", { class: "health" });
  readonly #check = h("button", { type: "button", class: "link" }, "Check again");

  constructor(private readonly around: Surroundings) {
    this.#check.addEventListener("click", () => void whileBusy(this.#check, "Checking…", () => this.#loadHealth()));
    this.element = h(
      "section",
      { class: "view page", "aria-label": "Settings" },
      h("h1", {}, "Settings"),
      this.#forms,
      h("div", { class: "panel" }, h("h2", {}, "Wallet core"), this.#health, h("div", {}, this.#check)),
    );
  }

  show(): void {
    void this.#loadForms();
    void this.#loadHealth();
    // Typed words must not be overwritten, so what is shown here stays until the person comes back to it.
    this.around.listen(undefined, { event: () => {}, reload: () => {} });
  }

  async #loadForms(): Promise<void> {
    try {
      const { backend, vault } = await getSettings();
      fill(this.#forms, backendForm(backend), vaultForm(vault));
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
      `Running · version ${version}${size}`,
    ),
    h(
      "p",
      { class: "hint" },
      `Started ${duration(Date.now() - startedAt)} ago. `,
      work.length === 0
        ? "Nothing to do; the browser may stop it at any time and starts it when needed."
        : `At work: ${work.join(", ")}.`,
    ),
  ];
}
