// One step of a bundle: first what its bytes do, then, separately, what the sender claims.

import type { Contradiction } from "../../../generated/Contradiction";
import type { Decoded } from "../../../generated/Decoded";
import type { Explanation } from "../../../generated/Explanation";
import type { Party } from "../../../generated/Party";
import type { Step } from "../../../generated/Step";
import type { TransactionRole } from "../../../generated/TransactionRole";
import { h, type Child } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";
import { claimsOf, fieldName, type Claim } from "./claims";
import { descriptionPart } from "./descriptor";
import { effectWords, type EffectWords, type Fact } from "./effects";
import { isDoubtful, otherParties, roleWords, standingWords } from "./parties";

const ROLES: Record<TransactionRole, string> = {
  approval: t("bundle_first_approval"),
  swap: t("bundle_then"),
  transfer: t("bundle_then"),
};

const STANDINGS: Record<Claim["standing"], string> = {
  prose: "",
  confirmed: t("bundle_claim_confirmed"),
  unknown: t("bundle_claim_unknown"),
  false: t("bundle_claim_false"),
};

/** `number`: the step's place, counted from 1. `says`: the author of the claims, such as "The agent says". */
export function stepItem(step: Step, number: number, says: string): HTMLElement {
  const contradictions = step.transactions.flatMap((transaction) => transaction.contradictions);
  const several = step.transactions.length > 1;
  return h(
    "li",
    { class: "step", "data-testid": `bundle-step-${step.sequence}`, "data-chain": step.chain },
    h("header", {}, h("h3", {}, t("bundle_step", number)), h("span", { class: "chain" }, step.chain)),
    contradictionTable(contradictions, says),
    ...step.transactions.map((transaction) => transactionPart(transaction, several)),
    claimsPart(step, says),
  );
}

function transactionPart({ role, explanation, description }: Decoded, several: boolean): HTMLElement {
  const { effects, parties, target, memo, fee, feeUnknown, from, nonce, gasLimit } = explanation;
  const words = effects.map(effectWords);
  const shown = words.flatMap((effect) => effect.facts);
  const facts: Fact[] = [];
  // What is called is always named, also where nothing of the call could be decoded.
  if (target !== null && !shown.some(({ value }) => value === target)) {
    facts.push({ name: t("bundle_fact_contract"), value: target, address: true });
  }
  for (const { address, role } of otherParties(parties, [...shown, ...facts])) {
    facts.push({ name: roleWords(role), value: address, address: true });
  }
  if (memo !== null) facts.push({ name: t("bundle_fact_memo"), value: memo });
  const atMost = fee === null ? t("bundle_fee_by_chain") : t("bundle_fee_at_most", fee.shown);
  facts.push({ name: t("bundle_fact_fee"), value: feeUnknown ? t("bundle_fee_unknown") : atMost });
  facts.push({ name: t("bundle_fact_paid_from"), value: from });
  const technical = [
    gasLimit !== null && t("bundle_gas_limit", gasLimit),
    nonce !== null && t("bundle_nonce", nonce),
  ];
  const present = technical.filter((part) => part !== false);
  if (present.length > 0) facts.push({ name: t("bundle_fact_technical"), value: present.join(", ") });
  return h(
    "div",
    { class: "transaction" },
    several && h("h4", {}, ROLES[role]),
    effects.length === 0 && h("p", { class: "effect-words" }, t("bundle_moves_nothing")),
    ...words.map((effect) => effectPart(effect, parties)),
    factList(facts, parties),
    descriptionPart(description),
  );
}

/** What an explanation does, and everyone who gets something: without a fee, which a message has not. */
export function transactionEffects({ effects, parties }: Explanation): HTMLElement {
  const words = effects.map(effectWords);
  const shown = words.flatMap((effect) => effect.facts);
  const others = otherParties(parties, shown).map(({ address, role }): Fact => ({ name: roleWords(role), value: address, address: true }));
  return h("div", { class: "transaction" }, ...words.map((effect) => effectPart(effect, parties)), factList(others, parties));
}

function effectPart({ words, facts, unknown }: EffectWords, parties: readonly Party[]): HTMLElement {
  return h(
    "div",
    { class: "effect", "data-testid": "bundle-effect", "data-unknown": unknown },
    h("p", { class: "effect-words" }, plain(words)),
    factList(facts, parties),
  );
}

/** Whole values: users must be able to compare every character. */
function factList(facts: readonly Fact[], parties: readonly Party[]): HTMLElement | undefined {
  if (facts.length === 0) return undefined;
  const lines = facts.flatMap(({ name, value, address, note }): Child[] => [
    h("dt", {}, plain(name)),
    h("dd", {}, plain(value), address === true ? partyNote(value, parties) : factNote(note)),
  ]);
  return h("dl", { class: "facts" }, ...lines);
}

function factNote(note: string | undefined): HTMLElement | undefined {
  return note === undefined || note === "" ? undefined : h("span", { class: "standing" }, plain(note));
}

/** What the user has to do with an address. */
function partyNote(address: string, parties: readonly Party[]): HTMLElement | undefined {
  const party = parties.find((one) => one.address === address);
  if (party === undefined) return undefined;
  const attributes = { class: "standing", "data-testid": "bundle-party", "data-doubtful": isDoubtful(party) || undefined };
  return h("span", attributes, plain(standingWords(party)));
}

function claimsPart(step: Step, says: string): HTMLElement | undefined {
  const claims = claimsOf(step);
  if (claims.length === 0) return undefined;
  const lines = claims.flatMap(({ name, value, standing }): Child[] => [
    h("dt", {}, name),
    h(
      "dd",
      { "data-standing": standing },
      h("q", {}, plain(value)),
      STANDINGS[standing] !== "" && h("span", { class: "standing" }, STANDINGS[standing]),
    ),
  ]);
  return h(
    "div",
    { class: "claims", "data-testid": "bundle-claims" },
    h("h4", {}, `${says}:`),
    h("dl", { class: "facts" }, ...lines),
  );
}

function contradictionTable(contradictions: readonly Contradiction[], says: string): HTMLElement | undefined {
  if (contradictions.length === 0) return undefined;
  const row = ({ field, claimed, actual }: Contradiction): HTMLElement =>
    h(
      "tr",
      { "data-testid": "bundle-contradiction" },
      h("th", { scope: "row" }, fieldName(field)),
      h("td", {}, plain(claimed)),
      h("td", {}, plain(actual)),
    );
  return h(
    "table",
    { class: "contradictions" },
    h("caption", {}, t("bundle_contradiction")),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        h("th", { scope: "col" }, says),
        h("th", { scope: "col" }, t("bundle_transaction_does")),
      ),
    ),
    h("tbody", {}, ...contradictions.map(row)),
  );
}
