// The address book: read by its route; changed by its tools on behalf of the user, with the same pipeline, policy and
// log as the agent's calls.

import type { AddedEntry } from "../../../generated/AddedEntry";
import type { DeletedEntry } from "../../../generated/DeletedEntry";
import type { Entry } from "../../../generated/Entry";
import type { Contacts } from "../../../generated/Contacts";
import { getContacts, runAction } from "../api";
import { t } from "../i18n";
import { onlyRow } from "../result";

export interface NewContact {
  title: string;
  address: string;
  chain: string;
}

/** The longest list on the page; more contacts are found by search. */
const MOST_SHOWN = 200;

/** The contacts whose name, address or chain contains `search`, at most [`MOST_SHOWN`]. */
export const loadContacts = (search: string): Promise<Contacts> => getContacts(search, MOST_SHOWN);

export async function addContact(contact: NewContact): Promise<void> {
  const result = await runAction("add_address_book", t("contacts_save", contact.title), { entries: [contact] });
  onlyRow<AddedEntry>(result);
}

export async function deleteContact({ id, title }: Entry): Promise<void> {
  const result = await runAction("delete_address_book", t("contacts_delete", title), { entries: [{ id }] });
  onlyRow<DeletedEntry>(result);
}
