// The sender's claims about a step, and the result of their check. The check itself is not made here.

import type { Step } from "../../../generated/Step";
import type { TxDetails } from "../../../generated/TxDetails";
import { t } from "../i18n";

const NAMES: readonly (readonly [field: keyof TxDetails, onTheWire: string, name: string])[] = [
  ["description", "description", t("bundle_claim_description")],
  ["amountHuman", "amount_human", t("bundle_claim_amount")],
  ["tokenSymbol", "token_symbol", t("bundle_claim_token")],
  ["value", "value", t("bundle_claim_coins")],
  ["from", "from", t("bundle_claim_from")],
  ["to", "to", t("bundle_claim_to")],
  ["contractName", "contract_name", t("bundle_claim_contract")],
  ["gasLimit", "gas_limit", t("bundle_claim_gas_limit")],
];

export interface Claim {
  name: string;
  value: string;
  /** `unknown`: the bytes neither confirm nor deny it. Prose claims nothing that could be checked. */
  standing: "prose" | "confirmed" | "unknown" | "false";
}

/** All claims about a step, in the order: purpose, amount, sender, recipient. */
export function claimsOf({ details, transactions, action }: Step): Claim[] {
  const ofPayload = transactions.flatMap(({ claims }) => claims);
  const unverified = new Set(transactions.flatMap((transaction) => transaction.unverified));
  const contradicted = new Set(transactions.flatMap(({ contradictions }) => contradictions.map(({ field }) => field)));
  const claims: Claim[] = action === "" ? [] : [{ name: t("bundle_claim_step"), value: action, standing: "prose" }];
  for (const [field, onTheWire, name] of NAMES) {
    const value = details[field];
    if (value === null || value.trim() === "") continue;
    claims.push({ name, value, standing: standingOf(onTheWire) });
  }
  // No signature covers these, and nothing can confirm them.
  for (const { about, text } of ofPayload) {
    claims.push({ name: about.charAt(0).toUpperCase() + about.slice(1), value: text, standing: "unknown" });
  }
  return claims;

  function standingOf(field: string): Claim["standing"] {
    if (field === "description") return "prose";
    if (contradicted.has(field)) return "false";
    // No bytes say whose contract it is.
    const checkable = field !== "contract_name" && transactions.length > 0 && !unverified.has(field);
    return checkable ? "confirmed" : "unknown";
  }
}

export function fieldName(onTheWire: string): string {
  if (onTheWire === "chain") return t("bundle_claim_chain");
  return NAMES.find(([, name]) => name === onTheWire)?.[2] ?? onTheWire;
}
