// A chain's name is all that is needed: the address follows from the vault's public keys.

import { CHAIN_NAMES } from "../../../generated/chains";
import { fill, h } from "../element";
import { problem, whileBusy } from "../parts";
import { addChain } from "./coins";

export function addForm(changed: () => void): HTMLElement {
  const chain = h("input", {
    id: "add-chain",
    placeholder: "Ethereum",
    required: true,
    autocomplete: "off",
    list: "chain-names",
    "data-testid": "wallet-add-chain",
  });
  const submit = h("button", { type: "submit", class: "primary", "data-testid": "wallet-add-submit" }, "Add");
  const notice = h("div", { class: "notice-slot" });

  async function add(): Promise<void> {
    fill(notice);
    try {
      await whileBusy(submit, "Adding…", () => addChain(chain.value.trim()));
      form.reset();
      chain.focus();
      changed();
    } catch (error) {
      fill(notice, problem(error));
    }
  }

  const submitted = (event: Event): void => {
    event.preventDefault();
    void add();
  };
  const form = h(
    "form",
    { class: "add-form panel", "aria-label": "Add a chain", on: { submit: submitted } },
    h(
      "div",
      { class: "field wide" },
      h("label", { for: chain.id }, "Add a chain"),
      h("div", { class: "joined" }, chain, submit),
    ),
    h("datalist", { id: "chain-names" }, ...CHAIN_NAMES.map((name) => h("option", { value: name }))),
    notice,
  );
  return form;
}
