// Who gets something or may take it, and what the user has to do with each.

import type { Party } from "../../../generated/Party";
import type { PartyRole } from "../../../generated/PartyRole";
import type { Fact } from "./effects";

const ROLES: Record<PartyRole, string> = {
  recipient: "Receives",
  spender: "May take tokens",
  router: "Swaps",
  contract: "Is called",
  destination: "Receives in the end",
  refund: "Gets back what is left",
  fee_payee: "Is paid a fee",
  authority: "May decide from now on",
};

/** What is known of a party, in a few words. */
export function standingWords({ standing, name }: Party): string {
  const named = name === null ? "" : ` (${name})`;
  if (standing === null) return name ?? "";
  switch (standing.kind) {
    case "own":
      return "your account";
    case "contact":
      return `your contact ${standing.title}`;
    case "agent_contact":
      return `saved by the agent as “${standing.title}”, not confirmed`;
    case "known_contract":
      return name ?? "known contract";
    case "seen_before":
      return `paid before${named}`;
    case "look_alike":
      return `looks like ${standing.other}, and is another`;
    case "stranger":
      return `not known${named}`;
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
