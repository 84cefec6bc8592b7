// The address book: everyone the person, the agent or a page has saved.

import type { Entry } from "../../../generated/Entry";
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
  #entries: Entry[] = [];

  constructor(private readonly around: Surroundings) {
    this.#search = h("input", {
      type: "search",
      placeholder: "Search contacts",
      "aria-label": "Search contacts",
      "data-testid": "contacts-search",
      on: { input: () => this.#render() },
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
    try {
      this.#entries = await loadContacts();
      this.#render();
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.#load()),
      );
    }
  }

  #render(): void {
    const wanted = this.#search.value.trim().toLowerCase();
    const found = this.#entries.filter(({ title, address, chain }) =>
      [title, address, chain].some((text) => text.toLowerCase().includes(wanted)),
    );
    this.#total.textContent = this.#entries.length === 0 ? "" : count(found.length, "contact");
    if (found.length > 0)
      fill(this.#list, h("ul", {}, ...found.map((entry) => contactRow(entry, () => void this.#load()))));
    else fill(this.#list, this.#entries.length === 0 ? nobody() : nobodyLike(this.#search.value.trim()));
  }
}

function nobody(): HTMLElement {
  return emptyState("contacts", "No contacts yet", "Add the first above, or ask the agent to save one for you.");
}

function nobodyLike(text: string): HTMLElement {
  return emptyState("search", "Nobody found", `No contact's name, address or chain contains “${text}”.`);
}
