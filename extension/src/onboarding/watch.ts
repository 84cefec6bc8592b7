// A watch-only vault from public keys.

import { field, forget, lineInput } from "../popup/field";
import { t } from "../popup/i18n";
import { digitsOf, makingStep } from "./making";
import type { Path, Step } from "./step";

export function watchStep(path: Path): Step {
  const ecdsa = lineInput({ class: "address", required: true, "data-testid": "onboarding-ecdsa" });
  const eddsa = lineInput({ class: "address", required: true, "data-testid": "onboarding-eddsa" });
  const chainCode = lineInput({ class: "address", required: true, "data-testid": "onboarding-chain-code" });
  return makingStep(
    {
      title: t("onboarding_watch_title"),
      lead: t("onboarding_watch_lead"),
      name: t("onboarding_watch_vault"),
      body: [
        field(t("onboarding_watch_ecdsa"), ecdsa, t("onboarding_watch_ecdsa_hint")),
        field(t("onboarding_watch_eddsa"), eddsa, t("onboarding_digits")),
        field(t("onboarding_chain_code"), chainCode, t("onboarding_digits")),
      ],
      submit: [t("onboarding_watch_submit"), t("onboarding_watch_busy")],
      read: (name) => ({
        kind: "watch",
        name,
        publicKeyEcdsa: digitsOf(ecdsa),
        publicKeyEddsa: digitsOf(eddsa),
        hexChainCode: digitsOf(chainCode),
      }),
      needsBackup: false,
      forget: () => forget(ecdsa, eddsa, chainCode),
    },
    path,
  );
}
