// One contact: name, chain, address and who saved it; copied with one press, deleted with two. What the user has not
// confirmed says so, and which address it takes the place of.

import type { Entry } from "../../../generated/Entry";
import { adderWords, unconfirmedBox } from "../added-by";
import { confirmContact } from "../api";
import { fill, h } from "../element";
import { t, tParts } from "../i18n";
import { confirmInline, copyButton, iconButton, problem, whileBusy } from "../parts";
import { plain } from "../plain";
import { deleteContact } from "./address-book";

export function contactRow(entry: Entry, changed: () => void): HTMLElement {
  const row = h("li", { class: "contact", "data-testid": "contact-row", "data-id": entry.id });
  const name = plain(entry.title);
  const rest = (): void => fill(row, ...resting(entry, ask, changed));

  function ask(): void {
    const [question, yes] = [t("contacts_delete_question", name), t("contacts_delete_yes")];
    fill(row, confirmInline({ question, yes, testId: "contact-delete", confirmed, kept }));
    row.querySelector("button")?.focus();
  }

  function kept(): void {
    rest();
    row.querySelector<HTMLElement>("[data-testid=contact-delete]")?.focus();
  }

  async function remove(button: HTMLButtonElement): Promise<void> {
    try {
      await whileBusy(button, t("contacts_deleting"), () => deleteContact(entry));
      changed();
    } catch (error) {
      rest();
      row.append(problem(error));
    }
  }

  const confirmed = (button: HTMLButtonElement): void => void remove(button);
  rest();
  return row;
}

function resting(entry: Entry, ask: () => void, changed: () => void): HTMLElement[] {
  const name = plain(entry.title);
  const saved = h("span", { class: "muted small" }, t("contacts_saved_by", adderWords(entry.added_by)));
  return [
    h("span", { class: "initial", "aria-hidden": "true", "data-initial": initialOf(entry.title) }),
    h(
      "div",
      { class: "contact-main" },
      h("div", { class: "contact-head" }, h("strong", {}, name), h("span", { class: "chain" }, entry.chain)),
      h("span", { class: "address" }, entry.address),
      entry.confirmed && saved,
    ),
    copyButton(t("contacts_copy", name), entry.address, "contact-copy"),
    iconButton("bin", t("contacts_delete", name), ask, "contact-delete"),
    ...(entry.confirmed ? [] : [unconfirmed(entry, changed)]),
  ];
}

function unconfirmed(entry: Entry, changed: () => void): HTMLElement {
  const { id, title, added_by, replaces } = entry;
  const before = replaces === undefined ? [] : tParts("contacts_replaces", replaced(replaces));
  return unconfirmedBox({
    mark: t("contacts_saved_by", adderWords(added_by)),
    details: [h("span", {}, t("contacts_compare"), ...before)],
    label: t("contacts_confirm", plain(title)),
    testId: "contact",
    confirm: () => confirmContact(id),
    changed,
  });
}

const replaced = (address: string): HTMLElement =>
  h("span", { class: "address", "data-testid": "contact-replaces" }, address);

function initialOf(title: string): string {
  return [...title.trim()][0]?.toUpperCase() ?? "?";
}
