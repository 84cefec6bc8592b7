// A vault from a recovery phrase.

import { h } from "../popup/element";
import { field, forget, secretField, secretInput } from "../popup/field";
import { t } from "../popup/i18n";
import { NewPassword } from "../popup/vaults/new-password";
import { makingStep } from "./making";
import type { Path, Step } from "./step";
import { countWords, wordsOf } from "./word-count";

export function phraseStep(path: Path): Step {
  const count = h("span", { role: "status", "data-testid": "onboarding-word-count" });
  const phrase = h("textarea", {
    class: "phrase",
    rows: 4,
    required: true,
    autocomplete: "off",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    "data-testid": "onboarding-phrase",
  });
  const tell = (): void => void (count.textContent = countWords(phrase.value));
  phrase.addEventListener("input", tell);
  tell();
  const shown = h("input", { type: "checkbox" });
  shown.addEventListener("change", () => phrase.toggleAttribute("data-shown", shown.checked));
  const passphrase = secretInput({ "data-testid": "onboarding-passphrase" });
  const password = new NewPassword("onboarding-password");

  return makingStep(
    {
      title: t("onboarding_phrase_title"),
      lead: t("onboarding_phrase_lead"),
      name: t("onboarding_import_name"),
      body: [
        field(t("onboarding_phrase_name"), phrase, count),
        h("label", { class: "tick" }, shown, t("onboarding_phrase_visible")),
        h(
          "details",
          {},
          h("summary", {}, t("onboarding_phrase_has_passphrase")),
          secretField(t("onboarding_passphrase"), passphrase, t("onboarding_passphrase_hint")),
        ),
        password.element,
      ],
      submit: [t("onboarding_import_submit"), t("onboarding_import_busy")],
      read: (name) => ({
        kind: "local",
        name,
        password: password.value(),
        mnemonic: wordsOf(phrase.value).join(" "),
        ...(passphrase.value === "" ? {} : { passphrase: passphrase.value }),
      }),
      needsBackup: true,
      forget() {
        forget(phrase, passphrase);
        password.forget();
      },
    },
    path,
  );
}
