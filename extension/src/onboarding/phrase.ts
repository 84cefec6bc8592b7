// A vault from a recovery phrase.

import { h } from "../popup/element";
import { field, forget, secretField, secretInput } from "../popup/field";
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
      title: "Import a recovery phrase",
      lead: "Type or paste the words in their order, with spaces between them. They never leave this computer.",
      name: "Imported vault",
      body: [
        field("Recovery phrase", phrase, count),
        h("label", { class: "tick" }, shown, "Keep the words visible when I am not typing"),
        h(
          "details",
          {},
          h("summary", {}, "The phrase has a passphrase"),
          secretField(
            "Passphrase",
            passphrase,
            "Sometimes called the 25th word. Leave it empty unless you set one: another passphrase gives another vault.",
          ),
        ),
        password.element,
      ],
      submit: ["Import vault", "Importing your vault…"],
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
