// The form for a new contact: name, chain, address.

import { addForm, chainInput } from "../add-form";
import { h } from "../element";
import { t } from "../i18n";
import { addContact } from "./address-book";

export function addContactForm(changed: () => void): HTMLElement {
  const title = h("input", {
    id: "add-title",
    placeholder: t("contacts_example_name"),
    required: true,
    autocomplete: "off",
    "data-testid": "contact-add-title",
  });
  const chain = chainInput("contact-add-chain");
  const address = h("input", {
    id: "add-address",
    class: "address",
    placeholder: t("contacts_example_address"),
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    "data-testid": "contact-add-address",
  });
  return addForm({
    name: t("contacts_add"),
    fields: [
      [t("contacts_name"), title],
      [t("contacts_chain"), chain],
    ],
    last: [t("contacts_address"), address],
    testId: "contact-add-submit",
    add: () => addContact({ title: title.value.trim(), address: address.value.trim(), chain: chain.value.trim() }),
    changed,
  });
}
