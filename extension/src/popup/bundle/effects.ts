// Texts for a transaction's effects. Everything here is decoded from the bytes to sign; no claim is used.

import type { Asset } from "../../../generated/Asset";
import type { Effect } from "../../../generated/Effect";
import type { Quantity } from "../../../generated/Quantity";
import { count } from "../format";

/** A line with a name and a value that users may compare character by character. */
export interface Fact {
  name: string;
  value: string;
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
        words: `Send ${amountOf(effect.amount, effect.asset)}`,
        facts: [fact("To", effect.to), ...assetFacts(effect.asset)],
      };
    case "transfer_from":
      return {
        words: `Move ${amountOf(effect.amount, effect.asset)} from another account`,
        facts: [fact("From", effect.from), fact("To", effect.to), ...assetFacts(effect.asset)],
      };
    case "change":
      return { words: `${effect.amount.shown} returns to you as change`, facts: [fact("To", effect.to)] };
    case "approve":
      return {
        words: effect.unlimited
          ? `Allow a spender to take ${nameOf(effect.asset)} from you without a limit`
          : `Allow a spender to take up to ${amountOf(effect.amount, effect.asset)} from you`,
        facts: [fact("Spender", effect.spender), ...assetFacts(effect.asset)],
      };
    case "approve_all":
      return {
        words: effect.approved
          ? "Allow an operator to take every item of a collection from you"
          : "An operator may no longer take items of a collection from you",
        facts: [
          fact("Operator", effect.operator),
          fact("Collection", effect.collection),
        ],
      };
    case "swap":
      return swapWords(effect);
    case "call":
      return {
        words: `Call ${functionName(effect.signature)} of a contract`,
        facts: [
          fact("Contract", effect.contract),
          ...valueFacts(effect.value),
          fact("Function", effect.signature),
          ...effect.arguments.map(({ name, value }) => fact(name, value)),
        ],
      };
    case "unknown_call":
      return {
        words: "Call a contract with data that could not be decoded. Its effect is unknown",
        facts: [
          fact("Contract", effect.contract),
          ...valueFacts(effect.value),
          ...(effect.selector === null ? [] : [fact("Function", effect.selector)]),
          fact("Data", count(effect.bytes, "byte")),
        ],
        unknown: true,
      };
    case "create":
      return {
        words: "Create a new contract",
        facts: [...valueFacts(effect.value), fact("Code", count(effect.bytes, "byte"))],
      };
    case "other":
      return { words: effect.name, facts: effect.fields.map(({ name, value }) => fact(name, value)) };
    case "unknown":
      return {
        words: "Data that could not be decoded. Its effect is unknown",
        facts: [fact("What", effect.what), fact("Data", count(effect.bytes, "byte"))],
        unknown: true,
      };
  }
}

function swapWords(swap: Extract<Effect, { kind: "swap" }>): EffectWords {
  const wanted = swap.buy === null ? "a token that the transaction does not name" : swap.buy;
  return {
    words: `Swap ${amountOf(swap.amount, swap.sell)} for ${wanted} via ${swap.provider}`,
    facts: [
      fact("Paid to", swap.router),
      // The bytes have the number of units, but not the token's decimals.
      fact("Minimum", swap.minimumOut === null ? "not guaranteed" : `${swap.minimumOut} smallest units`),
      ...(swap.recipient === null ? [] : [fact("Received by", swap.recipient)]),
      ...assetFacts(swap.sell),
    ],
  };
}

const fact = (name: string, value: string): Fact => ({ name, value });

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
      return asset.ticker ?? "an unknown token";
    case "item":
      return `item ${asset.id} of a collection`;
  }
}

/** Any token can be called USDC; its contract identifies it. */
function assetFacts(asset: Asset): Fact[] {
  switch (asset.kind) {
    case "native":
      return [];
    case "token":
      return [fact("Token", asset.id)];
    case "item":
      return [fact("Collection", asset.collection)];
  }
}

function valueFacts({ units, shown }: Quantity): Fact[] {
  return units === "0" ? [] : [fact("Value sent", shown)];
}

function functionName(signature: string): string {
  return signature.split("(", 1)[0] || signature;
}
