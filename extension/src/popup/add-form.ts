// The common form for adding: busy while the core works, empty afterwards, with the error below.

import { CHAIN_NAMES } from "../../generated/chains";
import { fill, h } from "./element";
import { t } from "./i18n";
import { problem, whileBusy } from "./parts";

export interface Adding {
  /** The form's accessible name. */
  name: string;
  /** The inputs before the last one, each with its label. */
  fields: readonly [label: string, input: HTMLInputElement][];
  /** The last input, beside the button. */
  last: readonly [label: string, input: HTMLInputElement];
  /** The button's test id. */
  testId: string;
  /** Adds. */
  add: () => Promise<void>;
  /** Called after it is added. */
  changed: () => void;
}

export function addForm({ name, fields, last: [lastLabel, last], testId, add, changed }: Adding): HTMLElement {
  const submit = h("button", { type: "submit", class: "primary", "data-testid": testId }, t("common_add"));
  const notice = h("div", { class: "notice-slot" });
  const first = fields[0]?.[1] ?? last;

  async function run(): Promise<void> {
    fill(notice);
    try {
      await whileBusy(submit, t("common_adding"), add);
      form.reset();
      first.focus();
      changed();
    } catch (error) {
      fill(notice, problem(error));
    }
  }

  const submitted = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  const form = h(
    "form",
    { class: "add-form panel", "aria-label": name, on: { submit: submitted } },
    ...fields.map(([label, input]) => h("div", { class: "field" }, h("label", { for: input.id }, label), input)),
    h(
      "div",
      { class: "field wide" },
      h("label", { for: last.id }, lastLabel),
      h("div", { class: "joined" }, last, submit),
    ),
    h("datalist", { id: "chain-names" }, ...CHAIN_NAMES.map((chain) => h("option", { value: chain }))),
    notice,
  );
  return form;
}

/** An input for a chain's name, with all names as suggestions. */
export function chainInput(testId: string): HTMLInputElement {
  return h("input", {
    id: "add-chain",
    placeholder: "Ethereum",
    required: true,
    autocomplete: "off",
    list: "chain-names",
    "data-testid": testId,
  });
}
