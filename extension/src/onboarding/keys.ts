// A vault from private keys.

import { forget, secretField, secretInput } from "../popup/field";
import { NewPassword } from "../popup/vaults/new-password";
import { digitsOf, makingStep } from "./making";
import type { Path, Step } from "./step";

const DIGITS = "64 hexadecimal digits";

export function keysStep(path: Path): Step {
  const ecdsa = secretInput({ required: true, "data-testid": "onboarding-ecdsa" });
  const eddsa = secretInput({ required: true, "data-testid": "onboarding-eddsa" });
  const chainCode = secretInput({ required: true, "data-testid": "onboarding-chain-code" });
  const password = new NewPassword("onboarding-password");
  return makingStep(
    {
      title: "Import private keys",
      lead: "The two root keys of a vault and its chain code. They never leave this computer.",
      name: "Imported vault",
      body: [
        secretField("ECDSA private key", ecdsa, `For Bitcoin, Ethereum and similar chains: ${DIGITS}.`),
        secretField("EdDSA private key", eddsa, `For Solana, Sui, TON and similar chains: ${DIGITS}.`),
        secretField("Chain code", chainCode, `Used to derive each chain's key: ${DIGITS}.`),
        password.element,
      ],
      submit: ["Import vault", "Importing your vault…"],
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
