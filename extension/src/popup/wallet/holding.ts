// One chain of the vault: its receiving address and its tokens.

import { ADDRESS_PAGES } from "../../../generated/chains";
import { h, icon } from "../element";
import { t } from "../i18n";
import { copyButton } from "../parts";
import type { Holding } from "./coins";
import { tokenRow } from "./token";

export function holdingRow({ native, tokens }: Holding, changed: () => void): HTMLElement {
  const { chain, ticker, address } = native;
  return h(
    "li",
    { class: "contact holding", "data-testid": "wallet-chain", "data-chain": chain },
    h("span", { class: "initial", "aria-hidden": "true", "data-initial": ticker.charAt(0) }),
    h(
      "div",
      { class: "contact-main" },
      h("div", { class: "contact-head" }, h("strong", {}, chain), h("span", { class: "chain" }, ticker)),
      h("span", { class: "address", "data-testid": "wallet-address" }, address),
    ),
    copyButton(t("wallet_copy", chain), address, "wallet-copy"),
    explorerLink(chain, address),
    tokens.length > 0 &&
      h(
        "ul",
        { class: "tokens", "aria-label": t("wallet_tokens_on", chain) },
        ...tokens.map((token) => tokenRow(token, changed)),
      ),
  );
}

function explorerLink(chain: string, address: string): HTMLElement | undefined {
  const page = (ADDRESS_PAGES as Record<string, string>)[chain];
  if (page === undefined) return undefined;
  const label = t("wallet_explorer", chain);
  const link = { class: "icon-link", href: page + address, target: "_blank", rel: "noopener noreferrer" };
  return h("a", { ...link, "aria-label": label, title: label }, icon("expand"));
}
