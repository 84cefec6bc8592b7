// The form for a limit. Amounts are typed in whole coins if the vault knows the coin, otherwise in its smallest units.

import type { Coin } from "../../../../generated/Coin";
import type { Limit } from "../../../../generated/Limit";
import type { Who } from "../../../../generated/Who";
import { CHAIN_NAMES } from "../../../../generated/chains";
import { fill, h } from "../../element";
import { choice, field, lineInput } from "../../field";
import { taskForm } from "../../form";
import { shortAddress } from "../../format";
import { plain } from "../../plain";
import { RequestError } from "../../request";
import { toUnits } from "./amount";
import { coinOf } from "./rules";

/** Values of the coin select that are not tokens. */
const NATIVE = "";
const OTHER = "other";

interface LimitForm {
  element: HTMLElement;
  /** The coins that the vault knows now. */
  offer(coins: readonly Coin[]): void;
}

export function limitForm(add: (limit: Limit) => Promise<void>): LimitForm {
  let known: readonly Coin[] = [];
  const chain = choice(
    CHAIN_NAMES.map((name) => [name, name] as const),
    { "data-testid": "policy-limit-chain" },
  );
  const asset = h("select", { "data-testid": "policy-limit-asset" });
  const token = lineInput({ class: "address", required: true, "data-testid": "policy-limit-token" });
  const otherToken = hideable(field("Token", token, "As the chain names it: its contract, mint or denom."));
  const perTransaction = amountInput("policy-limit-per-transaction");
  const perDay = amountInput("policy-limit-per-day");
  const unit = h("p", { class: "hint", role: "status" });
  const who = choice(
    [
      ["anybody", "Everyone, including me"],
      ["agent", "The agent"],
      ["dapp", "One website"],
    ],
    { "data-testid": "policy-limit-who" },
  );
  const origin = lineInput({
    type: "url",
    required: true,
    placeholder: "https://site.example",
    "data-testid": "policy-limit-origin",
  });
  const site = hideable(field("Website", origin));

  const tokenId = (): string | null =>
    asset.value === NATIVE ? null : asset.value === OTHER ? token.value.trim() : asset.value;
  const coin = (): Coin | undefined => (asset.value === OTHER ? undefined : coinOf(known, chain.value, tokenId()));

  function describe(): void {
    show(otherToken, asset.value === OTHER);
    show(site, who.value === "dapp");
    const chosen = coin();
    unit.textContent = chosen
      ? `Amounts in ${plain(chosen.ticker)}. Leave one empty for no such limit.`
      : "Your vault does not know this coin, so enter amounts in its smallest units (whole numbers). Leave one empty for no such limit.";
  }

  function offerAssets(): void {
    const before = asset.value;
    const native = coinOf(known, chain.value, null);
    const tokens = known.filter((coin) => coin.chain === chain.value && !coin.isNative && coin.confirmed);
    const options: [string, string][] = [
      [NATIVE, native ? plain(native.ticker) : "Native coin"],
      ...tokens.map(({ ticker, contractAddress = "" }): [string, string] => [
        contractAddress,
        `${plain(ticker)} (${shortAddress(contractAddress)})`,
      ]),
      [OTHER, "Another token…"],
    ];
    fill(asset, ...options.map(([value, words]) => h("option", { value }, words)));
    asset.value = options.some(([value]) => value === before) ? before : NATIVE;
    describe();
  }

  function read(): Limit {
    const decimals = coin()?.decimals ?? 0;
    const units = (input: HTMLInputElement): string | null =>
      input.value.trim() === "" ? null : toUnits(input.value, decimals);
    const limit: Limit = {
      id: crypto.randomUUID(),
      who: whoOf(who.value, origin.value),
      chain: chain.value,
      token: tokenId(),
      perTransaction: units(perTransaction),
      perDay: units(perDay),
    };
    if (limit.perTransaction === null && limit.perDay === null) throw new RequestError(0, "empty_limit", "");
    return limit;
  }

  chain.addEventListener("change", offerAssets);
  asset.addEventListener("change", describe);
  who.addEventListener("change", describe);
  const form = taskForm({
    name: "Add a limit",
    body: [
      h("div", { class: "pair" }, field("Chain", chain), field("Coin", asset)),
      otherToken,
      h("div", { class: "pair" }, field("In one transaction", perTransaction), field("In 24 hours", perDay)),
      unit,
      field("For", who),
      site,
    ],
    submit: ["Add limit", "Saving…"],
    testId: "policy-limit-add",
    async run() {
      await add(read());
      perTransaction.value = perDay.value = "";
    },
    done: "Added",
  });
  offerAssets();
  return {
    element: form,
    offer(coins) {
      known = coins;
      offerAssets();
    },
  };
}

function amountInput(testId: string): HTMLInputElement {
  return lineInput({ inputmode: "decimal", placeholder: "No limit", "data-testid": testId });
}

function whoOf(kind: string, site: string): Who {
  if (kind !== "dapp") return { kind: kind === "agent" ? "agent" : "anybody" };
  return { kind, origin: URL.canParse(site) ? new URL(site).origin : site.trim() };
}

/** A field that is validated only while it is shown. */
function hideable(content: HTMLElement): HTMLFieldSetElement {
  return h("fieldset", { hidden: true, disabled: true }, content);
}

function show(part: HTMLFieldSetElement, shown: boolean): void {
  part.hidden = part.disabled = !shown;
}
