// The address book: contacts saved by the user, the agent or a page.

import type { Contacts } from "../../../generated/Contacts";
import { addContactForm } from "../contacts/add-form";
import { loadContacts } from "../contacts/address-book";
import { contactRow } from "../contacts/row";
import { fill, h, icon } from "../element";
import { count } from "../format";
import { emptyState, loading, problem } from "../parts";
import type { Surroundings, View } from "../view";

export class ContactsView implements View {
  readonly element: HTMLElement;
  readonly #search: HTMLInputElement;
  readonly #list = h("div", { class: "contacts" }, loading("Loading contacts"));
  readonly #total = h("span", { class: "muted small", role: "status" });
  /** Counts loads: only the newest is shown. */
  #loads = 0;

  constructor(private readonly around: Surroundings) {
    this.#search = h("input", {
      type: "search",
      placeholder: "Search contacts",
      "aria-label": "Search contacts",
      "data-testid": "contacts-search",
      on: { input: () => void this.#load() },
    });
    this.element = h(
      "section",
      { class: "view page", "aria-label": "Contacts" },
      h("h1", {}, "Contacts"),
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
    this.#total.textContent = total === 0 && search === "" ? "" : count(total, "contact");
    if (total === 0) {
      fill(this.#list, search === "" ? emptyBook() : noMatch(search));
      return;
    }
    const rows = contacts.map((entry) => contactRow(entry, () => void this.#load()));
    const more = total - contacts.length;
    const rest = more > 0 ? [h("p", { class: "muted small" }, `${count(more, "contact")} more. Search to find them.`)] : [];
    fill(this.#list, h("ul", {}, ...rows), ...rest);
  }
}

function emptyBook(): HTMLElement {
  return emptyState("contacts", "No contacts yet", "Add the first above, or ask the agent to save one for you.");
}

function noMatch(text: string): HTMLElement {
  return emptyState("search", "No contacts found", `No contact's name, address or chain contains “${text}”.`);
}
