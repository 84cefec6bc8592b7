// The part of a tool that no form has, such as the built-in function that it calls, as JSON text.

import { h } from "../../popup/element";
import { field } from "../../popup/field";
import { t } from "../../popup/i18n";
import { setFieldError, type FieldErrors } from "../../popup/json/field-error";
import type { Schema } from "../../popup/json/schema";
import type { Draft } from "../draft";
import type { ToolType } from "../types";
import { typeWords } from "../words";
import { sectionBox, type Section } from "./section";

export class ImplSection implements Section {
  readonly element: HTMLElement;
  readonly #impl: HTMLTextAreaElement;
  readonly #arguments: HTMLTextAreaElement;

  constructor(errors: FieldErrors, type: ToolType) {
    const code = { spellcheck: "false", class: "code" };
    this.#impl = errors.add("/impl", h("textarea", { ...code, rows: 6, "data-testid": "edit-impl" }));
    this.#arguments = errors.add("/argSchema", h("textarea", { ...code, rows: 8, "data-testid": "edit-steps-schema" }));
    this.element = sectionBox(
      typeWords(type),
      field(t("tools_impl"), this.#impl),
      field(t("tools_arg_schema"), this.#arguments, t("tools_arg_schema_hint", "$")),
    );
  }

  show({ impl, argSchema }: Draft): void {
    this.#impl.value = JSON.stringify(impl, null, 2);
    this.#arguments.value = JSON.stringify(argSchema, null, 2);
  }

  read(draft: Draft): boolean {
    const impl = parsed(this.#impl) as object | undefined;
    const argSchema = parsed(this.#arguments) as Schema | undefined;
    if (impl === undefined || argSchema === undefined) return false;
    draft.impl = impl;
    draft.argSchema = argSchema;
    return true;
  }
}

function parsed(input: HTMLTextAreaElement): unknown {
  setFieldError(input, "");
  try {
    return JSON.parse(input.value) as unknown;
  } catch {
    setFieldError(input, t("tools_form_not_json"));
    input.focus();
    return undefined;
  }
}
