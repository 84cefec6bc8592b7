// The steps of a tool that calls others: each has a name, a tool and its values, which may be parts of earlier results.

import { h } from "../../popup/element";
import { field, lineInput } from "../../popup/field";
import { t } from "../../popup/i18n";
import { setFieldError, type FieldErrors } from "../../popup/json/field-error";
import type { Schema } from "../../popup/json/schema";
import { callableTools } from "../api";
import type { Draft } from "../draft";
import { EXAMPLES } from "../examples";
import { Rows } from "./rows";
import { sectionBox, type Section } from "./section";

interface Step {
  id: string;
  tool: string;
  /** As typed: JSON. */
  args: string;
}

interface StepsImpl {
  steps?: { id?: string; tool?: string; args?: unknown }[];
  output?: unknown;
}

const NAMES = "tool-names";
const MAX_NAMES = 256;

export class StepsSection implements Section {
  readonly element: HTMLElement;
  readonly #rows: Rows<Step>;
  readonly #output: HTMLTextAreaElement;
  readonly #arguments: HTMLTextAreaElement;
  readonly #names = h("datalist", { id: NAMES });
  readonly #list: HTMLElement;
  #areas: HTMLTextAreaElement[] = [];

  constructor(errors: FieldErrors, changed: () => void) {
    const code = { spellcheck: "false", class: "code" };
    this.#rows = new Rows<Step>({
      make: (step) => this.#row(step),
      empty: () => ({ id: `step${this.#rows.read().length + 1}`, tool: "", args: "{}" }),
      words: { add: t("tools_step_add"), remove: (number) => t("tools_step_remove", number) },
      testId: "edit-step",
      changed: () => {},
    });
    this.#output = errors.add("/impl/output", h("textarea", { ...code, rows: 2, placeholder: EXAMPLES.stepOutput, "data-testid": "edit-output" }));
    this.#arguments = errors.add("/argSchema", h("textarea", { ...code, rows: 8, "data-testid": "edit-steps-schema", on: { change: changed } }));
    this.#list = errors.add("/impl", h("fieldset", { tabindex: -1 }, h("legend", {}, t("tools_steps")), this.#rows.element));
    this.element = sectionBox(
      t("tools_part_steps"),
      h("p", { class: "hint" }, t("tools_steps_hint", EXAMPLES.stepArgument, EXAMPLES.stepOutput)),
      this.#list,
      field(t("tools_steps_output"), this.#output, t("tools_steps_output_hint")),
      field(t("tools_arg_schema"), this.#arguments, t("tools_arg_schema_hint", "$")),
      this.#names,
    );
    void this.#loadNames();
  }

  /** The schema of the values as far as it can be read, for the tester. */
  get schema(): Schema | undefined {
    return parsed(this.#arguments.value) as Schema | undefined;
  }

  show({ impl, argSchema }: Draft): void {
    const { steps = [], output } = impl as StepsImpl;
    this.#areas = [];
    this.#rows.show(steps.map(({ id = "", tool = "", args }) => ({ id, tool, args: JSON.stringify(args ?? {}, null, 2) })));
    this.#output.value = output === undefined ? "" : typeof output === "string" ? output : JSON.stringify(output, null, 2);
    this.#arguments.value = JSON.stringify(argSchema, null, 2);
  }

  read(draft: Draft): boolean {
    const steps = this.#rows.read();
    for (const area of this.#areas) setFieldError(area, "");
    setFieldError(this.#arguments, "");
    const wrong = [...this.#areas.filter(({ isConnected }) => isConnected), this.#arguments].filter((area) => parsed(area.value) === undefined);
    for (const area of wrong) setFieldError(area, t("tools_form_not_json"));
    if (wrong.length > 0) {
      wrong[0]?.focus();
      return false;
    }
    const output = this.#output.value.trim();
    draft.impl = {
      steps: steps.map(({ id, tool, args }) => ({ id, tool, args: parsed(args) })),
      ...(output === "" ? {} : { output: parsed(output) ?? output }),
    };
    draft.argSchema = parsed(this.#arguments.value) as Schema;
    draft.dependsOn = [...new Set(steps.map(({ tool }) => tool))];
    return true;
  }

  #row({ id, tool, args }: Step): { element: HTMLElement; read: () => Step; focus: () => void } {
    const idInput = lineInput({ value: id, "data-testid": "edit-step-id" });
    const toolInput = lineInput({ value: tool, list: NAMES, "data-testid": "edit-step-tool" });
    const area = h("textarea", { rows: 3, spellcheck: "false", class: "code", "data-testid": "edit-step-args" });
    area.value = args;
    this.#areas.push(area);
    return {
      element: h(
        "div",
        { class: "argument" },
        h("div", { class: "pair" }, field(t("tools_step_id"), idInput), field(t("tools_step_tool"), toolInput)),
        field(t("tools_step_args"), area),
      ),
      read: () => ({ id: idInput.value.trim(), tool: toolInput.value.trim(), args: area.value }),
      focus: () => toolInput.focus(),
    };
  }

  /** Proposals only: a tool that is not among them may be typed. */
  async #loadNames(): Promise<void> {
    const { tools } = await callableTools(MAX_NAMES).catch(() => ({ tools: [] }));
    this.#names.replaceChildren(...[...new Set(tools.map(({ name }) => name))].map((name) => h("option", { value: name })));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
