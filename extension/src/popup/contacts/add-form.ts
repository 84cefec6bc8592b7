// Name, chain, address: what the core needs to save a contact, and its refusal in words where it does not.

import { CHAIN_NAMES } from "../../../generated/chains";
import { fill, h } from "../element";
import { problem, whileBusy } from "../parts";
import { addContact } from "./address-book";

export function addForm(changed: () => void): HTMLElement {
  const title = h("input", {
    id: "add-title",
    placeholder: "Alice",
    required: true,
    autocomplete: "off",
    "data-testid": "contact-add-title",
  });
  const chain = h("input", {
    id: "add-chain",
    placeholder: "Ethereum",
    required: true,
    autocomplete: "off",
    list: "chain-names",
    "data-testid": "contact-add-chain",
  });
  const address = h("input", {
    id: "add-address",
    class: "address",
    placeholder: "0x… or any chain's address",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    "data-testid": "contact-add-address",
  });
  const submit = h("button", { type: "submit", class: "primary", "data-testid": "contact-add-submit" }, "Add");
  const notice = h("div", { class: "notice-slot" });

  async function add(): Promise<void> {
    fill(notice);
    try {
      await whileBusy(submit, "Adding…", () =>
        addContact({ title: title.value.trim(), address: address.value.trim(), chain: chain.value.trim() }),
      );
      form.reset();
      title.focus();
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
    { class: "add-form panel", "aria-label": "Add a contact", on: { submit: submitted } },
    field("Name", title),
    field("Chain", chain),
    h(
      "div",
      { class: "field wide" },
      h("label", { for: address.id }, "Address"),
      h("div", { class: "joined" }, address, submit),
    ),
    h("datalist", { id: "chain-names" }, ...CHAIN_NAMES.map((name) => h("option", { value: name }))),
    notice,
  );
  return form;
}

function field(label: string, input: HTMLInputElement): HTMLElement {
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input);
}
