// Allow lists of addresses: with a list, any other address is refused.

import type { ListedAddress } from "../../../../generated/ListedAddress";
import type { Policy } from "../../../../generated/Policy";
import { CHAIN_NAMES } from "../../../../generated/chains";
import { fill, h } from "../../element";
import { choice, field, lineInput } from "../../field";
import { taskForm } from "../../form";
import { changeGuarded } from "../../guarded-change";
import { confirmInline, problem, whileBusy } from "../../parts";
import { plain } from "../../plain";
import { ruleRow, type Change, type Section } from "./rules";

interface Words {
  /** The policy's field. */
  name: "recipients" | "contracts";
  /** Its elements have the test ids `policy-{noun}-…`. */
  noun: "recipient" | "contract";
  title: string;
  /** The texts without a list, with an empty one, and with entries. */
  off: string;
  empty: string;
  on: string;
}

export const RECIPIENTS: Words = {
  name: "recipients",
  noun: "recipient",
  title: "Recipients",
  off: "Any address may receive what you approve. Add an address to allow only listed ones.",
  empty: "The list is empty, so only your own addresses may receive.",
  on: "Only these, and your own addresses, may receive.",
};

export const CONTRACTS: Words = {
  name: "contracts",
  noun: "contract",
  title: "Contracts",
  off: "Any contract may be used if you approve. Add an address to allow only listed ones.",
  empty: "The list is empty, so no contract may be called or approved as a spender.",
  on: "Only these may be called or approved as spenders.",
};

export function addressList(words: Words, change: Change): Section {
  const { name, noun } = words;
  const state = h("p", { class: "muted" });
  const list = h("ul", { class: "rules" });
  const off = h("div", {});
  const edit = (next: (listed: ListedAddress[]) => ListedAddress[] | null, password?: string): Promise<void> =>
    change((policy) => ({ ...policy, [name]: next(policy[name] ?? []) }) satisfies Policy, password);

  const chain = choice(
    CHAIN_NAMES.map((chain) => [chain, chain] as const),
    { "data-testid": `policy-${noun}-chain` },
  );
  const address = lineInput({ class: "address", required: true, "data-testid": `policy-${noun}-address` });
  const form = taskForm({
    name: `Add to ${words.title.toLowerCase()}`,
    body: [field("Chain", chain), field("Address", address)],
    submit: ["Add address", "Saving…"],
    testId: `policy-${noun}-add`,
    async run(password) {
      await edit((listed) => [...listed, { chain: chain.value, address: address.value.trim() }], password);
      address.value = "";
      address.focus();
    },
    done: "Added",
  });

  function offerEnd(): void {
    const button = h(
      "button",
      { type: "button", class: "link", "data-testid": `policy-${noun}-off` },
      "Stop using this list",
    );
    button.addEventListener("click", () => {
      const question = `Allow all ${words.title.toLowerCase()} again? The list is deleted.`;
      fill(
        off,
        confirmInline({ question, yes: "Delete list", testId: `policy-${noun}-off`, confirmed, kept: offerEnd }),
      );
      off.querySelector("button")?.focus();
    });
    fill(off, button);
  }

  function confirmed(button: HTMLButtonElement): void {
    const slot = h("div", {});
    off.append(slot);
    whileBusy(button, "Deleting…", () => changeGuarded(slot, (password) => edit(() => null, password))).catch(
      (error: unknown) => fill(off, problem(error, offerEnd)),
    );
  }

  const row = ({ chain, address }: ListedAddress): HTMLElement =>
    ruleRow({
      testId: `policy-${noun}-row`,
      main: [h("span", { class: "chain" }, chain), h("span", { class: "address" }, plain(address))],
      remove: [`Remove ${plain(address)}`, `policy-${noun}-remove`],
      removed: (password) =>
        edit((listed) => listed.filter((other) => other.chain !== chain || other.address !== address), password),
    });

  return {
    element: h(
      "section",
      { class: "rule-section", "aria-label": words.title },
      h("h3", {}, words.title),
      state,
      list,
      off,
      h("details", {}, h("summary", {}, "Add an address"), form),
    ),
    show(policy) {
      const listed = policy[name];
      state.textContent = listed === null ? words.off : listed.length === 0 ? words.empty : words.on;
      fill(list, ...(listed ?? []).map(row));
      if (listed === null) fill(off);
      else offerEnd();
    },
  };
}
