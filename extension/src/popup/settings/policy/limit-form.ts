// The form for a limit. Amounts are typed in whole coins if the vault knows the coin, otherwise in its smallest units.

import type { Coin } from "../../../../generated/Coin";
import type { Limit } from "../../../../generated/Limit";
import type { Who } from "../../../../generated/Who";
import { CHAIN_NAMES } from "../../../../generated/chains";
import { fill, h } from "../../element";
import { choice, field, lineInput } from "../../field";
import { taskForm } from "../../form";
import { shortAddress } from "../../format";
import { t } from "../../i18n";
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
  const otherToken = hideable(field(t("settings_limit_token"), token, t("settings_limit_token_hint")));
  const perTransaction = amountInput("policy-limit-per-transaction");
  const perDay = amountInput("policy-limit-per-day");
  const unit = h("p", { class: "hint", role: "status" });
  const who = choice(
    [
      ["anybody", t("settings_limit_everyone")],
      ["agent", t("settings_limit_agent")],
      ["dapp", t("settings_limit_site")],
    ],
    { "data-testid": "policy-limit-who" },
  );
  const origin = lineInput({
    type: "url",
    required: true,
    placeholder: "https://site.example",
    "data-testid": "policy-limit-origin",
  });
  const site = hideable(field(t("settings_limit_website"), origin));

  const tokenId = (): string | null =>
    asset.value === NATIVE ? null : asset.value === OTHER ? token.value.trim() : asset.value;
  const coin = (): Coin | undefined => (asset.value === OTHER ? undefined : coinOf(known, chain.value, tokenId()));

  function describe(): void {
    show(otherToken, asset.value === OTHER);
    show(site, who.value === "dapp");
    const chosen = coin();
    unit.textContent = chosen ? t("settings_limit_amounts", plain(chosen.ticker)) : t("settings_limit_amounts_units");
  }

  function offerAssets(): void {
    const before = asset.value;
    const native = coinOf(known, chain.value, null);
    const tokens = known.filter((coin) => coin.chain === chain.value && !coin.isNative && coin.confirmed);
    const options: [string, string][] = [
      [NATIVE, native ? plain(native.ticker) : t("settings_limit_native")],
      ...tokens.map(({ ticker, contractAddress = "" }): [string, string] => [
        contractAddress,
        `${plain(ticker)} (${shortAddress(contractAddress)})`,
      ]),
      [OTHER, t("settings_limit_other")],
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
    name: t("settings_limit_add"),
    body: [
      h("div", { class: "pair" }, field(t("settings_chain"), chain), field(t("settings_limit_coin"), asset)),
      otherToken,
      h(
        "div",
        { class: "pair" },
        field(t("settings_limit_in_transaction"), perTransaction),
        field(t("settings_limit_in_day"), perDay),
      ),
      unit,
      field(t("settings_limit_who"), who),
      site,
    ],
    submit: [t("settings_limit_submit"), t("settings_saving")],
    testId: "policy-limit-add",
    async run() {
      await add(read());
      perTransaction.value = perDay.value = "";
    },
    done: t("settings_added"),
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
  return lineInput({ inputmode: "decimal", placeholder: t("settings_limit_none"), "data-testid": testId });
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
