// What a transaction does, in words. Everything here is read from the bytes that would be signed; no claim enters it.

import type { Asset } from "../../../generated/Asset";
import type { Effect } from "../../../generated/Effect";
import type { Quantity } from "../../../generated/Quantity";
import { count } from "../format";

/** A line below the words: a name and a value that a person may have to compare character by character. */
export interface Fact {
  name: string;
  value: string;
}

export interface EffectWords {
  words: string;
  facts: Fact[];
  /** Nobody can say what this does. */
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
      return { words: `${effect.amount.shown} comes back to you`, facts: [fact("To", effect.to)] };
    case "approve":
      return {
        words: effect.unlimited
          ? `Let somebody take ${nameOf(effect.asset)} from you without any limit`
          : `Let somebody take up to ${amountOf(effect.amount, effect.asset)} from you`,
        facts: [fact("Who may", effect.spender), ...assetFacts(effect.asset)],
      };
    case "approve_all":
      return {
        words: effect.approved
          ? "Let somebody take every piece of a collection from you"
          : "Somebody may no longer take pieces of a collection from you",
        facts: [
          fact(effect.approved ? "Who may" : "Who no longer may", effect.operator),
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
        words: "Call a contract in a way that could not be decoded. Nobody can tell from here what it does",
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
        words: "Something that could not be decoded. Nobody can tell from here what it does",
        facts: [fact("What", effect.what), fact("Data", count(effect.bytes, "byte"))],
        unknown: true,
      };
  }
}

function swapWords(swap: Extract<Effect, { kind: "swap" }>): EffectWords {
  const wanted = swap.buy === null ? "something that the bytes do not name" : swap.buy;
  return {
    words: `Swap ${amountOf(swap.amount, swap.sell)} for ${wanted}, by ${swap.provider}`,
    facts: [
      fact("Paid to", swap.router),
      // The bytes say how many units, and not how many of them make a whole.
      fact("At least", swap.minimumOut === null ? "nothing is guaranteed" : `${swap.minimumOut} smallest units`),
      ...(swap.recipient === null ? [] : [fact("Received by", swap.recipient)]),
      ...assetFacts(swap.sell),
    ],
  };
}

const fact = (name: string, value: string): Fact => ({ name, value });

/** Its own coin and known tokens have their ticker in the amount already. */
function amountOf({ shown, units }: Quantity, asset: Asset): string {
  if (asset.kind === "item") return units === "1" ? nameOf(asset) : `${units} × ${nameOf(asset)}`;
  return shown;
}

function nameOf(asset: Asset): string {
  switch (asset.kind) {
    case "native":
      return asset.ticker;
    case "token":
      return asset.ticker ?? "a token that is not known here";
    case "item":
      return `piece ${asset.id} of a collection`;
  }
}

/** Anybody can call a token USDC; its contract says which one it is. */
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
  return units === "0" ? [] : [fact("With it go", shown)];
}

function functionName(signature: string): string {
  return signature.split("(", 1)[0] || signature;
}
