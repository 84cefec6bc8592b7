// The form for a chain: its name is enough, because the address is derived from the vault's public keys.

import { addForm, chainInput } from "../add-form";
import { t } from "../i18n";
import { addChain } from "./coins";

export function addChainForm(changed: () => void): HTMLElement {
  const chain = chainInput("wallet-add-chain");
  return addForm({
    name: t("wallet_add_chain"),
    fields: [],
    last: [t("wallet_add_chain"), chain],
    testId: "wallet-add-submit",
    add: () => addChain(chain.value.trim()),
    changed,
  });
}
