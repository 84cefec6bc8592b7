// Who gets something or may take it, and what the user has to do with each.

import type { Party } from "../../../generated/Party";
import type { PartyRole } from "../../../generated/PartyRole";
import { t } from "../i18n";
import type { Fact } from "./effects";

const ROLES: Record<PartyRole, string> = {
  recipient: t("bundle_role_recipient"),
  spender: t("bundle_role_spender"),
  router: t("bundle_role_router"),
  contract: t("bundle_role_contract"),
  destination: t("bundle_role_destination"),
  refund: t("bundle_role_refund"),
  fee_payee: t("bundle_role_fee_payee"),
  authority: t("bundle_role_authority"),
};

/** What is known of a party, in a few words. */
export function standingWords({ standing, name }: Party): string {
  if (standing === null) return name ?? "";
  switch (standing.kind) {
    case "own":
      return t("bundle_party_own");
    case "contact":
      return t("bundle_party_contact", standing.title);
    case "agent_contact":
      return t("bundle_party_agent_contact", standing.title);
    case "known_contract":
      return name ?? t("bundle_party_known_contract");
    case "seen_before":
      return name === null ? t("bundle_party_seen") : t("bundle_party_seen_named", name);
    case "look_alike":
      return t("bundle_party_look_alike", standing.other);
    case "stranger":
      return name === null ? t("bundle_party_stranger") : t("bundle_party_stranger_named", name);
  }
}

/** Whether a party deserves a second look. */
export function isDoubtful({ standing }: Party): boolean {
  return standing !== null && ["agent_contact", "look_alike", "stranger"].includes(standing.kind);
}

/** The parties that no effect shows by itself. */
export function otherParties(parties: readonly Party[], shown: readonly Fact[]): Party[] {
  const addresses = new Set(shown.filter(({ address }) => address === true).map(({ value }) => value));
  return parties.filter(({ address }) => !addresses.has(address));
}

export const roleWords = (role: PartyRole): string => ROLES[role];
