// A vault from private keys.

import { forget, secretField, secretInput } from "../popup/field";
import { t } from "../popup/i18n";
import { NewPassword } from "../popup/vaults/new-password";
import { digitsOf, makingStep } from "./making";
import type { Path, Step } from "./step";

export function keysStep(path: Path): Step {
  const ecdsa = secretInput({ required: true, "data-testid": "onboarding-ecdsa" });
  const eddsa = secretInput({ required: true, "data-testid": "onboarding-eddsa" });
  const chainCode = secretInput({ required: true, "data-testid": "onboarding-chain-code" });
  const password = new NewPassword("onboarding-password");
  return makingStep(
    {
      title: t("onboarding_keys_title"),
      lead: t("onboarding_keys_lead"),
      name: t("onboarding_import_name"),
      body: [
        secretField(t("onboarding_keys_ecdsa"), ecdsa, t("onboarding_keys_ecdsa_hint")),
        secretField(t("onboarding_keys_eddsa"), eddsa, t("onboarding_keys_eddsa_hint")),
        secretField(t("onboarding_chain_code"), chainCode, t("onboarding_keys_chain_code_hint")),
        password.element,
      ],
      submit: [t("onboarding_import_submit"), t("onboarding_import_busy")],
      read: (name) => ({
        kind: "local",
        name,
        password: password.value(),
        keys: { ecdsa: digitsOf(ecdsa), eddsa: digitsOf(eddsa), chainCode: digitsOf(chainCode) },
      }),
      needsBackup: true,
      forget() {
        forget(ecdsa, eddsa, chainCode);
        password.forget();
      },
    },
    path,
  );
}
