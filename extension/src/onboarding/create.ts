// A vault with new keys.

import { NewPassword } from "../popup/vaults/new-password";
import { makingStep } from "./making";
import type { Path, Step } from "./step";

export function createStep(path: Path): Step {
  const password = new NewPassword("onboarding-password");
  return makingStep(
    {
      title: "Create a new vault",
      lead: "The password protects the vault on this computer and its backup file. It cannot be reset.",
      name: "My vault",
      body: [password.element],
      submit: ["Create vault", "Creating your vault…"],
      read: (name) => ({ kind: "local", name, password: password.value() }),
      needsBackup: true,
      forget: () => password.forget(),
    },
    path,
  );
}
