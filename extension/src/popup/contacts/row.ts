// One contact: name, chain, address and who added it; copied with one press, deleted with two.

import type { AddedBy } from "../../../generated/AddedBy";
import type { Entry } from "../../../generated/Entry";
import { fill, h } from "../element";
import { confirmInline, copyButton, iconButton, problem, whileBusy } from "../parts";
import { deleteContact } from "./address-book";

export function contactRow(entry: Entry, changed: () => void): HTMLElement {
  const row = h("li", { class: "contact", "data-testid": "contact-row", "data-id": entry.id });
  const rest = (): void => fill(row, ...resting(entry, ask));

  function ask(): void {
    fill(
      row,
      confirmInline({ question: `Delete ${entry.title}?`, yes: "Delete", testId: "contact-delete", confirmed, kept }),
    );
    row.querySelector("button")?.focus();
  }

  function kept(): void {
    rest();
    row.querySelector<HTMLElement>("[data-testid=contact-delete]")?.focus();
  }

  async function remove(button: HTMLButtonElement): Promise<void> {
    try {
      await whileBusy(button, "Deleting…", () => deleteContact(entry));
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

function resting(entry: Entry, ask: () => void): HTMLElement[] {
  return [
    h("span", { class: "initial", "aria-hidden": "true", "data-initial": initialOf(entry.title) }),
    h(
      "div",
      { class: "contact-main" },
      h("div", { class: "contact-head" }, h("strong", {}, entry.title), h("span", { class: "chain" }, entry.chain)),
      h("span", { class: "address" }, entry.address),
      h("span", { class: "muted small" }, `Added by ${adderOf(entry.added_by)}`),
    ),
    copyButton(`Copy ${entry.title}'s address`, entry.address, "contact-copy"),
    iconButton("bin", `Delete ${entry.title}`, ask, "contact-delete"),
  ];
}

function initialOf(title: string): string {
  return [...title.trim()][0]?.toUpperCase() ?? "?";
}

function adderOf(by: AddedBy): string {
  switch (by.kind) {
    case "user":
      return "you";
    case "agent":
      return "the agent";
    case "dapp":
      return by.origin;
  }
}
