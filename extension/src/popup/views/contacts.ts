// The address book: contacts saved by the user, the agent or a page.

import type { Contacts } from "../../../generated/Contacts";
import { addContactForm } from "../contacts/add-form";
import { loadContacts } from "../contacts/address-book";
import { contactRow } from "../contacts/row";
import { fill, h, icon } from "../element";
import { plural, t } from "../i18n";
import { emptyState, loading, problem } from "../parts";
import type { Surroundings, View } from "../view";

export class ContactsView implements View {
  readonly element: HTMLElement;
  readonly #search: HTMLInputElement;
  readonly #list = h("div", { class: "contacts" }, loading(t("contacts_loading")));
  readonly #total = h("span", { class: "muted small", role: "status" });
  /** Counts loads: only the newest is shown. */
  #loads = 0;

  constructor(private readonly around: Surroundings) {
    this.#search = h("input", {
      type: "search",
      placeholder: t("contacts_search"),
      "aria-label": t("contacts_search"),
      "data-testid": "contacts-search",
      on: { input: () => void this.#load() },
    });
    this.element = h(
      "section",
      { class: "view page", "aria-label": t("contacts_title") },
      h("h1", {}, t("contacts_title")),
      addContactForm(() => void this.#load()),
      h("div", { class: "search" }, icon("search"), this.#search, this.#total),
      this.#list,
    );
  }

  show(): void {
    this.around.listen(undefined, {
      event: ({ event }) => {
        if (event === "vaultModified") void this.#load();
      },
      reload: () => void this.#load(),
    });
  }

  async #load(): Promise<void> {
    const load = ++this.#loads;
    const search = this.#search.value.trim();
    try {
      const found = await loadContacts(search);
      if (load === this.#loads) this.#render(search, found);
    } catch (error) {
      if (load !== this.#loads) return;
      fill(
        this.#list,
        problem(error, () => void this.#load()),
      );
    }
  }

  #render(search: string, { contacts, total }: Contacts): void {
    const found = t(plural(total, "contacts_total_one", "contacts_total_other"), total);
    this.#total.textContent = total === 0 && search === "" ? "" : found;
    if (total === 0) {
      fill(this.#list, search === "" ? emptyBook() : noMatch(search));
      return;
    }
    const rows = contacts.map((entry) => contactRow(entry, () => void this.#load()));
    const more = total - contacts.length;
    const words = t(plural(more, "contacts_more_one", "contacts_more_other"), more);
    const rest = more > 0 ? [h("p", { class: "muted small" }, words)] : [];
    fill(this.#list, h("ul", {}, ...rows), ...rest);
  }
}

function emptyBook(): HTMLElement {
  return emptyState("contacts", t("contacts_empty"), t("contacts_empty_text"));
}

function noMatch(text: string): HTMLElement {
  return emptyState("search", t("contacts_no_match"), t("contacts_no_match_text", text));
}
