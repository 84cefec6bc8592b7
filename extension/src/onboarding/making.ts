// The common form for every way to add a vault: a name, one button, and an answer that takes a moment.

import { createVault, type NewVault } from "../popup/api";
import { h, type Child } from "../popup/element";
import { field, lineInput } from "../popup/field";
import { taskForm } from "../popup/form";
import { t } from "../popup/i18n";
import type { Path, Step } from "./step";

const NAME_CHARACTERS = 100;

export interface Making {
  title: string;
  lead: Child;
  /** The suggested name; without one the file's own name is used. */
  name?: string;
  body: readonly Child[];
  submit: readonly [words: string, busy: string];
  /** The typed values. Throws the error to show instead. */
  read(name: string): Promise<NewVault> | NewVault;
  /** Whether the user has no copy of the vault yet. */
  needsBackup: boolean;
  /** The core refused what was typed; the form shows the error. */
  refused?(error: unknown): void;
  forget(): void;
}

export function makingStep(making: Making, path: Path): Step {
  const name = lineInput({
    value: making.name,
    required: making.name !== undefined,
    placeholder: making.name === undefined ? t("onboarding_name_placeholder") : undefined,
    maxlength: NAME_CHARACTERS,
    "data-testid": "onboarding-name",
  });
  const form = taskForm({
    name: making.title,
    body: [field(t("onboarding_name"), name), ...making.body],
    submit: making.submit,
    testId: "onboarding-submit",
    errorTestId: "onboarding-error",
    async run() {
      const vault = await making.read(name.value.trim());
      const made = await createVault(vault).catch((error: unknown) => {
        making.refused?.(error);
        throw error;
      });
      path.made(made, making.needsBackup && "password" in vault ? vault.password : undefined);
    },
  });
  const back = (): void => path.back();
  const element = h(
    "section",
    { class: "view page onboarding", "aria-label": making.title },
    h(
      "div",
      {},
      h(
        "button",
        { type: "button", class: "link", "data-testid": "onboarding-back", on: { click: back } },
        t("onboarding_back"),
      ),
    ),
    h("h1", { tabindex: -1 }, making.title),
    h("p", { class: "muted" }, making.lead),
    h("div", { class: "panel" }, form),
  );
  return { element, forget: () => making.forget() };
}

/** Hexadecimal digits as users paste them. */
export function digitsOf(input: HTMLInputElement): string {
  return input.value.replace(/\s+/g, "").replace(/^0x/i, "");
}
