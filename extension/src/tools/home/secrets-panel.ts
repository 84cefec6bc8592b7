// The secrets of HTTP tools: their names and when they were saved. A value can be replaced and never be read.

import type { SecretView } from "../../../generated/SecretView";
import { fill, h } from "../../popup/element";
import { field, forget, lineInput, secretField, secretInput } from "../../popup/field";
import { taskForm } from "../../popup/form";
import { fullTime } from "../../popup/format";
import { t } from "../../popup/i18n";
import { confirmInline, iconButton, loading, problem, whileBusy } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { EXAMPLES } from "../examples";
import { deleteSecret, getSecrets, putSecret } from "../api";

export class SecretsPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading(t("tools_loading")));
  readonly #add = h("details", {});

  constructor() {
    const name = lineInput({ required: true, pattern: "[A-Z][A-Z0-9_]*", placeholder: EXAMPLES.secret, "data-testid": "secret-name" });
    name.addEventListener("input", () => (name.value = name.value.toUpperCase().replace(/[\s-]/g, "_")));
    fill(
      this.#add,
      h("summary", { "data-testid": "secret-new" }, t("tools_secret_new")),
      secretForm(
        () => name.value,
        [field(t("tools_secret_name"), name, t("tools_secret_name_hint"))],
        () => {
          name.value = "";
          this.#add.open = false;
          void this.load();
        },
      ),
    );
    this.element = h(
      "section",
      { class: "panel rule-section-plain", "aria-label": t("tools_secrets"), "data-testid": "secrets" },
      h("h2", {}, t("tools_secrets")),
      h("p", { class: "hint" }, t("tools_secrets_hint")),
      this.#list,
      this.#add,
    );
  }

  async load(): Promise<void> {
    try {
      const secrets = await getSecrets();
      // A form that is open is not replaced.
      if (this.#list.querySelector("form")) return;
      fill(
        this.#list,
        secrets.length === 0
          ? h("p", { class: "muted" }, t("tools_secrets_none"))
          : h("ul", { class: "rules" }, ...secrets.map((secret) => this.#row(secret))),
      );
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #row({ name, updatedAt }: SecretView): HTMLElement {
    const slot = h("div", { class: "vault-task" });
    const shown = plain(name);
    const close = (opener: HTMLElement): void => {
      fill(slot);
      opener.focus();
    };
    const replace = h("button", { type: "button", "aria-label": t("tools_secret_replace_label", shown), "data-testid": "secret-replace" }, t("tools_secret_replace"));
    replace.addEventListener("click", () => {
      const form = secretForm(
        () => name,
        [],
        () => {
          fill(slot);
          void this.load();
        },
        () => close(replace),
      );
      fill(slot, form);
      form.querySelector("input")?.focus();
    });
    const remove = iconButton("bin", t("tools_secret_delete_label", shown), () => {
      const confirmed = (button: HTMLButtonElement): void => {
        whileBusy(button, t("tools_deleting"), () => deleteSecret(name)).then(
          () => this.load(),
          (error: unknown) => fill(slot, problem(error)),
        );
      };
      const question = t("tools_secret_delete_question", shown);
      fill(slot, confirmInline({ question, yes: t("tools_delete"), testId: "secret-delete", confirmed, kept: () => close(remove) }));
      slot.querySelector("button")?.focus();
    }, "secret-delete");
    return h(
      "li",
      { "data-testid": "secret-row", "data-name": name },
      h(
        "span",
        { class: "rule-main" },
        h("code", {}, shown),
        h("span", { class: "muted small" }, t("tools_secret_saved", fullTime(updatedAt))),
      ),
      replace,
      remove,
      slot,
    );
  }
}

/** A form that saves one secret. The typed value is forgotten at once. */
export function secretForm(name: () => string, body: readonly HTMLElement[], saved: () => void, cancel?: () => void): HTMLFormElement {
  const value = secretInput({ required: true, autocomplete: "off", "data-testid": "secret-value" });
  return taskForm({
    name: t("tools_secret_new"),
    body: [...body, secretField(t("tools_secret_value"), value, t("tools_secret_value_hint"))],
    submit: [t("tools_secret_save"), t("tools_saving")],
    testId: "secret-save",
    errorTestId: "secret-error",
    run: async (password) => {
      await putSecret(name(), value.value, password);
      forget(value);
      saved();
    },
    cancel,
  });
}
