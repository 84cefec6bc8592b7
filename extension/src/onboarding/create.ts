// A vault with new keys.

import { t } from "../popup/i18n";
import { NewPassword } from "../popup/vaults/new-password";
import { makingStep } from "./making";
import type { Path, Step } from "./step";

export function createStep(path: Path): Step {
  const password = new NewPassword("onboarding-password");
  return makingStep(
    {
      title: t("onboarding_create_title"),
      lead: t("onboarding_create_lead"),
      name: t("onboarding_create_name"),
      body: [password.element],
      submit: [t("onboarding_create_submit"), t("onboarding_create_busy")],
      read: (name) => ({ kind: "local", name, password: password.value() }),
      needsBackup: true,
      forget: () => password.forget(),
    },
    path,
  );
}
