// The spending limits, by coin.

import type { Coin } from "../../../../generated/Coin";
import type { Limit } from "../../../../generated/Limit";
import { fill, h } from "../../element";
import { shortAddress } from "../../format";
import { t } from "../../i18n";
import type { Guarded } from "../../password-gate";
import { plain } from "../../plain";
import { fromUnits } from "./amount";
import { limitForm } from "./limit-form";
import { coinOf, ruleRow, whoWords, type Change, type Section } from "./rules";

export function limits(change: Change): Section {
  const list = h("ul", { class: "rules" });
  const none = h("p", { class: "muted" }, t("settings_limits_none"));
  const form = limitForm((limit) => change((policy) => ({ ...policy, limits: [...policy.limits, limit] })));
  const remove = (id: string, password?: string): Promise<void> =>
    change((policy) => ({ ...policy, limits: policy.limits.filter((limit) => limit.id !== id) }), password);
  return {
    element: h(
      "section",
      { class: "rule-section", "aria-label": t("settings_limits") },
      h("h3", {}, t("settings_limits")),
      none,
      list,
      h("details", {}, h("summary", {}, t("settings_limit_add")), form.element),
    ),
    show(policy, coins) {
      none.hidden = policy.limits.length > 0;
      fill(list, ...policy.limits.map((limit) => row(limit, coins, (password) => remove(limit.id, password))));
      form.offer(coins);
    },
  };
}

export function limitWords({ chain, token, perTransaction, perDay }: Limit, coins: readonly Coin[]): string {
  const coin = coinOf(coins, chain, token);
  const amount = (units: string): string =>
    coin ? `${fromUnits(units, coin.decimals)} ${plain(coin.ticker)}` : t("settings_limit_units", units);
  if (perTransaction === null) return t("settings_limit_day", amount(perDay ?? ""));
  if (perDay === null) return t("settings_limit_transaction", amount(perTransaction));
  return t("settings_limit_both", amount(perTransaction), amount(perDay));
}

function row(limit: Limit, coins: readonly Coin[], removed: Guarded): HTMLElement {
  const words = limitWords(limit, coins);
  const token =
    limit.token === null || coinOf(coins, limit.chain, limit.token) ? "" : ` · ${shortAddress(plain(limit.token))}`;
  return ruleRow({
    testId: "policy-limit-row",
    main: [
      h("strong", {}, words),
      h(
        "span",
        { class: "muted small", title: limit.token ?? "" },
        t("settings_limit_for", limit.chain + token, whoWords(limit.who)),
      ),
    ],
    remove: [t("settings_limit_remove", words), "policy-limit-remove"],
    removed,
  });
}
