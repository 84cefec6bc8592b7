// The address book's tools, called as the person at the keyboard: the same pipeline, policy and log as the agent's.

import type { ActionResult } from "../../../generated/ActionResult";
import type { AddedEntry } from "../../../generated/AddedEntry";
import type { DeletedEntry } from "../../../generated/DeletedEntry";
import type { Entry } from "../../../generated/Entry";
import type { GetAddressBookResult } from "../../../generated/GetAddressBookResult";
import type { Rows } from "../../../generated/Rows";
import { runAction } from "../api";
import { RequestError } from "../request";

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

/** The row tells more than the whole: which of its fields was wrong. */
function onlyRow<R extends { success: boolean; error: string | null }>(result: ActionResult): void {
  const row = (result.data as Rows<R> | undefined)?.results[0];
  if (row && !row.success) throw resultError(row.error ?? "failed");
  outputOf(result);
}

function outputOf<Output>(result: ActionResult): Output {
  if (!result.success) throw resultError(result.error ?? "failed");
  return result.data as Output;
}

function resultError(error: string): RequestError {
  const [code = "", ...rest] = error.split(": ");
  return new RequestError(200, code, rest.join(": "));
}
