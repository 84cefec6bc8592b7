// The address book's tools, called as the person at the keyboard: the same pipeline, policy and log as the agent's.

import type { AddedEntry } from "../../../generated/AddedEntry";
import type { DeletedEntry } from "../../../generated/DeletedEntry";
import type { Entry } from "../../../generated/Entry";
import type { GetAddressBookResult } from "../../../generated/GetAddressBookResult";
import { runAction } from "../api";
import { onlyRow, outputOf } from "../result";

export interface NewContact {
  title: string;
  address: string;
  chain: string;
}

export async function loadContacts(): Promise<Entry[]> {
  const result = await runAction("get_address_book", "List contacts", {});
  return outputOf<GetAddressBookResult>(result).entries;
}

export async function addContact(contact: NewContact): Promise<void> {
  const result = await runAction("add_address_book", `Save ${contact.title}`, { entries: [contact] });
  onlyRow<AddedEntry>(result);
}

export async function deleteContact({ id, title }: Entry): Promise<void> {
  const result = await runAction("delete_address_book", `Delete ${title}`, { entries: [{ id }] });
  onlyRow<DeletedEntry>(result);
}
