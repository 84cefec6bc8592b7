// What a tool needs: the arguments of a call, and secrets. Both follow the placeholders of the templates.

import type { SecretView } from "../../../generated/SecretView";
import { fill, h, icon } from "../../popup/element";
import { field } from "../../popup/field";
import { fullTime } from "../../popup/format";
import { t } from "../../popup/i18n";
import type { FieldErrors } from "../../popup/json/field-error";
import { setFieldError } from "../../popup/json/field-error";
import type { Schema } from "../../popup/json/schema";
import { plain } from "../../popup/plain";
import { argumentsOf, schemaOf, withPlaceholders, type Arguments } from "../arguments";
import type { Draft } from "../draft";
import { secretForm } from "../home/secrets-panel";
import type { Placeholders } from "../placeholders";
import { ArgumentRow } from "./argument-row";
import { sectionBox, type Section } from "./section";

export class NeedsSection implements Section {
  readonly element: HTMLElement;
  readonly #arguments = h("div", { class: "edit-rows" });
  readonly #secrets = h("div", { class: "edit-rows" });
  readonly #text: HTMLTextAreaElement;
  readonly #textField: HTMLElement;
  readonly #asText: HTMLInputElement;
  readonly #forms = new Map<string, HTMLElement>();
  #rows: ArgumentRow[] = [];
  #rest: Arguments["rest"] = {};
  /** The arguments that the templates named before. */
  #named: readonly string[] = [];
  #secretNames: readonly string[] = [];
  #saved: readonly SecretView[];

  constructor(
    errors: FieldErrors,
    secrets: readonly SecretView[],
    private readonly around: { changed(): void; savedSecret(): Promise<readonly SecretView[]> },
  ) {
    this.#saved = secrets;
    this.#text = errors.add("/argSchema", h("textarea", { rows: 10, spellcheck: "false", class: "code", "data-testid": "edit-arg-schema" }));
    this.#text.addEventListener("change", () => around.changed());
    this.#textField = field(t("tools_arg_schema"), this.#text, t("tools_arg_schema_hint", "$"));
    this.#asText = h("input", { type: "checkbox", "data-testid": "edit-arg-schema-toggle" });
    this.#asText.addEventListener("change", () => this.#switchText());
    this.element = sectionBox(
      t("tools_part_needs"),
      h("h3", {}, t("tools_arguments")),
      this.#arguments,
      this.#textField,
      h("label", { class: "tick" }, this.#asText, t("tools_as_schema")),
      h("h3", {}, t("tools_secrets")),
      this.#secrets,
    );
  }

  show(draft: Draft): void {
    this.#showSchema(draft.argSchema);
  }

  read(draft: Draft): boolean {
    const schema = this.#schema();
    if (schema === undefined) return false;
    draft.argSchema = schema;
    return true;
  }

  /** The schema as far as it can be read, for the tester. */
  get schema(): Schema | undefined {
    return this.#asText.checked ? parse(this.#text.value) : schemaOf({ rows: this.#rows.map((row) => row.read()), rest: this.#rest });
  }

  /** The templates have these placeholders now. */
  fit(placeholders: Placeholders): void {
    const { arguments: names, secrets } = placeholders;
    if (names.join() !== this.#named.join()) {
      if (!this.#asText.checked) {
        this.#showRows(withPlaceholders(this.#rows.map((row) => row.read()), names, this.#named));
      }
      this.#named = names;
    }
    if (secrets.join() !== this.#secretNames.join() || !this.#secrets.hasChildNodes()) {
      this.#secretNames = secrets;
      this.#showSecrets();
    }
  }

  /** After a draft was shown, its own names are no news. */
  settle({ arguments: names }: Placeholders): void {
    this.#named = names;
  }

  #schema(): Schema | undefined {
    setFieldError(this.#text, "");
    const schema = this.schema;
    if (schema === undefined) {
      setFieldError(this.#text, t("tools_form_not_json"));
      this.#text.focus();
    }
    return schema;
  }

  #showSchema(schema: Schema): void {
    const found = argumentsOf(schema);
    this.#asText.checked = found === undefined;
    this.#asText.disabled = found === undefined;
    this.#text.value = JSON.stringify(schema, null, 2);
    this.#rest = found?.rest ?? {};
    this.#showRows(found?.rows ?? []);
    this.#showShape();
  }

  #showRows(rows: Arguments["rows"]): void {
    this.#rows = rows.map((row) => new ArgumentRow(row, () => this.around.changed()));
    const none = h("p", { class: "muted small" }, t("tools_arguments_none", "${city}"));
    fill(this.#arguments, ...(this.#rows.length === 0 ? [none] : this.#rows.map(({ element }) => element)));
  }

  #switchText(): void {
    if (this.#asText.checked) {
      this.#text.value = JSON.stringify(schemaOf({ rows: this.#rows.map((row) => row.read()), rest: this.#rest }), null, 2);
      return this.#showShape();
    }
    const schema = this.#text.value === "" ? undefined : parse(this.#text.value);
    const found = schema === undefined ? undefined : argumentsOf(schema);
    if (!found) {
      this.#asText.checked = true;
      return setFieldError(this.#text, schema === undefined ? t("tools_form_not_json") : t("tools_schema_no_rows"));
    }
    setFieldError(this.#text, "");
    this.#rest = found.rest;
    this.#showRows(withPlaceholders(found.rows, this.#named, []));
    this.#showShape();
    this.around.changed();
  }

  #showShape(): void {
    this.#textField.hidden = !this.#asText.checked;
    this.#arguments.hidden = this.#asText.checked;
  }

  #showSecrets(): void {
    const none = h("p", { class: "muted small" }, t("tools_needs_no_secret", "${API_KEY}"));
    fill(this.#secrets, ...(this.#secretNames.length === 0 ? [none] : this.#secretNames.map((name) => this.#secretRow(name))));
  }

  #secretRow(name: string): HTMLElement {
    const saved = this.#saved.find((secret) => secret.name === name);
    const slot = h("div", { class: "vault-task" });
    const open = (): void => {
      // One element a name: what was typed survives a change of the templates.
      const form = this.#forms.get(name) ?? this.#secretForm(name);
      this.#forms.set(name, form);
      fill(slot, form);
    };
    const replace = h("button", { type: "button", class: "quiet", "data-testid": "edit-secret-replace" }, t("tools_secret_replace"));
    replace.addEventListener("click", () => {
      open();
      slot.querySelector("input")?.focus();
    });
    if (!saved) open();
    return h(
      "div",
      { class: "secret-row", "data-testid": "edit-secret", "data-name": name, "data-saved": String(saved !== undefined) },
      icon(saved ? "lock" : "unlock"),
      h(
        "span",
        { class: "rule-main" },
        h("code", {}, plain(name)),
        h("span", { class: "muted small" }, saved ? t("tools_secret_saved", fullTime(saved.updatedAt)) : t("tools_secret_missing")),
      ),
      saved && replace,
      slot,
    );
  }

  #secretForm(name: string): HTMLElement {
    const done = async (): Promise<void> => {
      this.#forms.delete(name);
      this.#saved = await this.around.savedSecret();
      this.#showSecrets();
    };
    return secretForm(() => name, [], () => void done());
  }
}

function parse(text: string): Schema | undefined {
  try {
    const schema: unknown = JSON.parse(text);
    const isSchema = typeof schema === "boolean" || (typeof schema === "object" && schema !== null && !Array.isArray(schema));
    return isSchema ? (schema as Schema) : undefined;
  } catch {
    return undefined;
  }
}
