// The form for a new contact: name, chain, address.

import { addForm, chainInput } from "../add-form";
import { h } from "../element";
import { addContact } from "./address-book";

export function addContactForm(changed: () => void): HTMLElement {
  const title = h("input", {
    id: "add-title",
    placeholder: "Alice",
    required: true,
    autocomplete: "off",
    "data-testid": "contact-add-title",
  });
  const chain = chainInput("contact-add-chain");
  const address = h("input", {
    id: "add-address",
    class: "address",
    placeholder: "0x… or any chain's address",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    "data-testid": "contact-add-address",
  });
  return addForm({
    name: "Add a contact",
    fields: [
      ["Name", title],
      ["Chain", chain],
    ],
    last: ["Address", address],
    testId: "contact-add-submit",
    add: () => addContact({ title: title.value.trim(), address: address.value.trim(), chain: chain.value.trim() }),
    changed,
  });
}
