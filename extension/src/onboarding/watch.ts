// A watch-only vault from public keys.

import { field, forget, lineInput } from "../popup/field";
import { digitsOf, makingStep } from "./making";
import type { Path, Step } from "./step";

export function watchStep(path: Path): Step {
  const ecdsa = lineInput({ class: "address", required: true, "data-testid": "onboarding-ecdsa" });
  const eddsa = lineInput({ class: "address", required: true, "data-testid": "onboarding-eddsa" });
  const chainCode = lineInput({ class: "address", required: true, "data-testid": "onboarding-chain-code" });
  return makingStep(
    {
      title: "Watch a vault",
      lead: "Its addresses are derived from its public keys. No secret is needed, and nothing can be signed.",
      name: "Watched vault",
      body: [
        field("ECDSA public key", ecdsa, "66 hexadecimal digits, beginning with 02 or 03."),
        field("EdDSA public key", eddsa, "64 hexadecimal digits."),
        field("Chain code", chainCode, "64 hexadecimal digits."),
      ],
      submit: ["Watch this vault", "Deriving the addresses…"],
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
