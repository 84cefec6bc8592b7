// Texts for a transaction's effects. Everything here is decoded from the bytes to sign; no claim is used.

import type { Asset } from "../../../generated/Asset";
import type { Effect } from "../../../generated/Effect";
import type { Quantity } from "../../../generated/Quantity";
import { plural, t } from "../i18n";

/** A line with a name and a value that users may compare character by character. */
export interface Fact {
  name: string;
  value: string;
  /** The value is an address: what is known of it is said beside it. */
  address?: true;
  /** What is to be known of the value, in the page's own words. */
  note?: string;
}

export interface EffectWords {
  words: string;
  facts: Fact[];
  /** The effect cannot be decoded. */
  unknown?: true;
}

export function effectWords(effect: Effect): EffectWords {
  switch (effect.kind) {
    case "transfer":
      return {
        words: t("bundle_send", amountOf(effect.amount, effect.asset)),
        facts: [address(t("bundle_fact_to"), effect.to), ...assetFacts(effect.asset)],
      };
    case "transfer_from":
      return {
        words: t("bundle_move", amountOf(effect.amount, effect.asset)),
        facts: [
          fact(t("bundle_fact_from"), effect.from),
          address(t("bundle_fact_to"), effect.to),
          ...assetFacts(effect.asset),
        ],
      };
    case "change":
      return { words: t("bundle_change", effect.amount.shown), facts: [fact(t("bundle_fact_to"), effect.to)] };
    case "approve":
      return {
        words: effect.unlimited
          ? t("bundle_approve_unlimited", nameOf(effect.asset))
          : t("bundle_approve", amountOf(effect.amount, effect.asset)),
        facts: [address(t("bundle_fact_spender"), effect.spender), ...assetFacts(effect.asset)],
      };
    case "approve_all":
      return {
        words: t(effect.approved ? "bundle_approve_all" : "bundle_revoke_all"),
        facts: [
          address(t("bundle_fact_operator"), effect.operator),
          fact(t("bundle_fact_collection"), effect.collection),
        ],
      };
    case "swap":
      return swapWords(effect);
    case "call":
      return {
        words: t("bundle_call", functionName(effect.signature)),
        facts: [
          address(t("bundle_fact_contract"), effect.contract),
          ...valueFacts(effect.value),
          fact(t("bundle_fact_function"), effect.signature),
          ...effect.arguments.map(({ name, value }) => fact(name, value)),
        ],
        unknown: true,
      };
    case "unknown_call":
      return {
        words: t("bundle_unknown_call"),
        facts: [
          address(t("bundle_fact_contract"), effect.contract),
          ...valueFacts(effect.value),
          ...(effect.selector === null ? [] : [fact(t("bundle_fact_function"), effect.selector)]),
          fact(t("bundle_fact_data"), bytesWords(effect.bytes)),
        ],
        unknown: true,
      };
    case "create":
      return {
        words: t("bundle_create"),
        facts: [...valueFacts(effect.value), fact(t("bundle_fact_code"), bytesWords(effect.bytes))],
      };
    case "note":
      return { words: effect.name, facts: effect.fields.map(({ name, value }) => fact(name, value)) };
    case "other":
      return {
        words: t("bundle_other", effect.name),
        facts: effect.fields.map(({ name, value }) => fact(name, value)),
        unknown: true,
      };
    case "unknown":
      return {
        words: t("bundle_unknown"),
        facts: [fact(t("bundle_fact_what"), effect.what), fact(t("bundle_fact_data"), bytesWords(effect.bytes))],
        unknown: true,
      };
  }
}

function swapWords(swap: Extract<Effect, { kind: "swap" }>): EffectWords {
  const wanted = swap.buy ?? t("bundle_swap_unnamed");
  const paid = amountOf(swap.amount, swap.sell);
  const words =
    swap.provider === null ? t("bundle_swap", paid, wanted) : t("bundle_swap_via", paid, wanted, swap.provider);
  const units = swap.minimumOut === null ? null : t("bundle_smallest_units", swap.minimumOut);
  return {
    words,
    facts: [
      address(t("bundle_fact_paid_to"), swap.router),
      fact(t("bundle_fact_minimum"), swap.minimumShown ?? units ?? t("bundle_none")),
      ...(swap.recipient === null ? [] : [address(t("bundle_fact_received_by"), swap.recipient)]),
      ...assetFacts(swap.sell),
      ...(swap.bought === null ? [] : assetFacts(swap.bought, t("bundle_fact_bought_token"))),
    ],
    ...(swap.provider === null ? { unknown: true } : {}),
  };
}

const bytesWords = (bytes: number): string => t(plural(bytes, "bundle_bytes_one", "bundle_bytes_other"), bytes);

const fact = (name: string, value: string): Fact => ({ name, value });

const address = (name: string, value: string): Fact => ({ name, value, address: true });

/** The shown amount of native coins and known tokens includes the ticker. */
function amountOf({ shown, units }: Quantity, asset: Asset): string {
  if (asset.kind === "item") return units === "1" ? nameOf(asset) : `${units} × ${nameOf(asset)}`;
  return shown;
}

function nameOf(asset: Asset): string {
  switch (asset.kind) {
    case "native":
      return asset.ticker;
    case "token":
      return asset.ticker ?? t("bundle_unknown_token");
    case "item":
      return t("bundle_item", asset.id);
  }
}

/** Any token can be called USDC; its contract identifies it. */
function assetFacts(asset: Asset, name = t("bundle_fact_token")): Fact[] {
  switch (asset.kind) {
    case "native":
      return [];
    case "token":
      return [{ name, value: asset.id, note: tokenNote(asset) }];
    case "item":
      return [fact(t("bundle_fact_collection"), asset.collection)];
  }
}

/** Where a token's name is known from, and whether its contract is. */
function tokenNote({ source, contract, agentTicker }: Extract<Asset, { kind: "token" }>): string {
  const unknown = contract === "unknown" ? [t("bundle_token_not_known")] : [];
  const named = source === "node" ? [t("bundle_token_named_by_chain")] : [];
  const agent = agentTicker === null ? [] : [t("bundle_token_added_by_agent", agentTicker)];
  return [...unknown, ...named, ...agent].join(", ");
}

function valueFacts({ units, shown }: Quantity): Fact[] {
  return units === "0" ? [] : [fact(t("bundle_fact_value"), shown)];
}

function functionName(signature: string): string {
  return signature.split("(", 1)[0] || signature;
}
