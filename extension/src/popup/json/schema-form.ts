// A form made from a JSON Schema, with its errors at their fields.

import { t } from "../i18n";
import { reveal, setFieldError } from "./field-error";
import { inputOf, read, type InputError } from "./input";
import { formOf, type Field, type Schema } from "./schema";
import { widget, type Widget } from "./widget";

export class SchemaForm {
  readonly #field: Field;
  readonly #widget: Widget;
  readonly #wrong = new Set<HTMLElement>();

  /**
   * `start`: a value to begin with; absent parts begin with the schema's defaults. `label`: for a value that is not an
   * object and has no title.
   */
  constructor(schema: Schema, start?: unknown, label = t("tools_form_arguments")) {
    this.#field = formOf(schema);
    const field = this.#field.label === "" ? { ...this.#field, label } : this.#field;
    const isObject = this.#field.kind === "object";
    this.#widget = widget(field, {
      name: isObject ? "" : "all",
      isRequired: true,
      start: inputOf(this.#field, start),
    });
  }

  get element(): HTMLElement {
    return this.#widget.element;
  }

  get isEmpty(): boolean {
    return this.#field.kind === "object" && this.#field.members.length === 0;
  }

  /** The typed value; nothing if something is wrong, which is then shown at its field. */
  read(): { value: unknown } | undefined {
    this.clear();
    const { value, misfits } = read(this.#field, this.#widget.input(), true);
    for (const { pointer, error } of misfits) this.#show(pointer, errorWords(error));
    const [first] = this.#wrong;
    if (first) reveal(first);
    return misfits.length > 0 ? undefined : { value: value ?? {} };
  }

  /** What was typed so far, right or wrong, to begin another form with. */
  draft(): unknown {
    return read(this.#field, this.#widget.input(), true).value;
  }

  /** Shows an error of the core at its field, or at the nearest one around it. */
  showError(pointer: string, message: string): void {
    reveal(this.#show(pointer, message));
  }

  clear(): void {
    for (const control of this.#wrong) setFieldError(control, "");
    this.#wrong.clear();
  }

  focus(): void {
    this.element.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
  }

  #show(pointer: string, message: string): HTMLElement {
    const path = pointer.split("/").slice(1);
    const control = this.#widget.at(path.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")));
    setFieldError(control, message);
    this.#wrong.add(control);
    return control;
  }
}

function errorWords(error: InputError): string {
  switch (error) {
    case "required":
      return t("tools_form_required");
    case "not_a_number":
      return t("tools_form_not_a_number");
    case "not_whole":
      return t("tools_form_not_whole");
    case "not_json":
      return t("tools_form_not_json");
  }
}
