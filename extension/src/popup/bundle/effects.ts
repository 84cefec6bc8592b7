// Texts for a transaction's effects. Everything here is decoded from the bytes to sign; no claim is used.

import type { Asset } from "../../../generated/Asset";
import type { Effect } from "../../../generated/Effect";
import type { Quantity } from "../../../generated/Quantity";
import { count } from "../format";

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
        words: `Send ${amountOf(effect.amount, effect.asset)}`,
        facts: [address("To", effect.to), ...assetFacts(effect.asset)],
      };
    case "transfer_from":
      return {
        words: `Move ${amountOf(effect.amount, effect.asset)} from another account`,
        facts: [fact("From", effect.from), address("To", effect.to), ...assetFacts(effect.asset)],
      };
    case "change":
      return { words: `${effect.amount.shown} returns to you as change`, facts: [fact("To", effect.to)] };
    case "approve":
      return {
        words: effect.unlimited
          ? `Allow a spender to take ${nameOf(effect.asset)} from you without a limit`
          : `Allow a spender to take up to ${amountOf(effect.amount, effect.asset)} from you`,
        facts: [address("Spender", effect.spender), ...assetFacts(effect.asset)],
      };
    case "approve_all":
      return {
        words: effect.approved
          ? "Allow an operator to take every item of a collection from you"
          : "An operator may no longer take items of a collection from you",
        facts: [
          address("Operator", effect.operator),
          fact("Collection", effect.collection),
        ],
      };
    case "swap":
      return swapWords(effect);
    case "call":
      return {
        words: `Call ${functionName(effect.signature)} of a contract. What it does is not known`,
        facts: [
          address("Contract", effect.contract),
          ...valueFacts(effect.value),
          fact("Function", effect.signature),
          ...effect.arguments.map(({ name, value }) => fact(name, value)),
        ],
        unknown: true,
      };
    case "unknown_call":
      return {
        words: "Call a contract with data that could not be decoded. Its effect is unknown",
        facts: [
          address("Contract", effect.contract),
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
    case "note":
      return { words: effect.name, facts: effect.fields.map(({ name, value }) => fact(name, value)) };
    case "other":
      return {
        words: `${effect.name}. What it gives away is not known`,
        facts: effect.fields.map(({ name, value }) => fact(name, value)),
        unknown: true,
      };
    case "unknown":
      return {
        words: "Data that could not be decoded. Its effect is unknown",
        facts: [fact("What", effect.what), fact("Data", count(effect.bytes, "byte"))],
        unknown: true,
      };
  }
}

function swapWords(swap: Extract<Effect, { kind: "swap" }>): EffectWords {
  const wanted = swap.buy === null ? "something that the transaction does not name" : swap.buy;
  const via = swap.provider === null ? "at a contract that is not known" : `via ${swap.provider}`;
  const minimum = swap.minimumShown ?? (swap.minimumOut === null ? null : `${swap.minimumOut} smallest units`);
  return {
    words: `Swap ${amountOf(swap.amount, swap.sell)} for ${wanted} ${via}`,
    facts: [
      address("Paid to", swap.router),
      fact("Minimum", minimum ?? "none"),
      ...(swap.recipient === null ? [] : [address("Received by", swap.recipient)]),
      ...assetFacts(swap.sell),
      ...(swap.bought === null ? [] : assetFacts(swap.bought, "Bought token")),
    ],
    ...(swap.provider === null ? { unknown: true } : {}),
  };
}

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
      return asset.ticker ?? "an unknown token";
    case "item":
      return `item ${asset.id} of a collection`;
  }
}

/** Any token can be called USDC; its contract identifies it. */
function assetFacts(asset: Asset, name = "Token"): Fact[] {
  switch (asset.kind) {
    case "native":
      return [];
    case "token":
      return [{ name, value: asset.id, note: tokenNote(asset) }];
    case "item":
      return [fact("Collection", asset.collection)];
  }
}

/** Where a token's name is known from, and whether its contract is. */
function tokenNote({ source, contract, agentTicker }: Extract<Asset, { kind: "token" }>): string {
  const unknown = contract === "unknown" ? ["not known"] : [];
  const named = source === "node" ? ["named by the chain"] : [];
  const agent = agentTicker === null ? [] : [`added by the agent as “${agentTicker}”`];
  return [...unknown, ...named, ...agent].join(", ");
}

function valueFacts({ units, shown }: Quantity): Fact[] {
  return units === "0" ? [] : [fact("Value sent", shown)];
}

function functionName(signature: string): string {
  return signature.split("(", 1)[0] || signature;
}
