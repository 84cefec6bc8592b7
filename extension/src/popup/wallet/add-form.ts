// The form for a chain: its name is enough, because the address is derived from the vault's public keys.

import { addForm, chainInput } from "../add-form";
import { addChain } from "./coins";

export function addChainForm(changed: () => void): HTMLElement {
  const chain = chainInput("wallet-add-chain");
  return addForm({
    name: "Add a chain",
    fields: [],
    last: ["Add a chain", chain],
    testId: "wallet-add-submit",
    add: () => addChain(chain.value.trim()),
    changed,
  });
}
