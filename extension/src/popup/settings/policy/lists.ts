// Allow lists of addresses: with a list, any other address is refused.

import type { ListedAddress } from "../../../../generated/ListedAddress";
import type { Policy } from "../../../../generated/Policy";
import { CHAIN_NAMES } from "../../../../generated/chains";
import { fill, h } from "../../element";
import { choice, field, lineInput } from "../../field";
import { taskForm } from "../../form";
import { changeGuarded } from "../../guarded-change";
import { t } from "../../i18n";
import { confirmInline, problem, whileBusy } from "../../parts";
import { plain } from "../../plain";
import { ruleRow, type Change, type Section } from "./rules";

interface Words {
  /** The policy's field. */
  name: "recipients" | "contracts";
  /** Its elements have the test ids `policy-{noun}-…`. */
  noun: "recipient" | "contract";
  title: string;
  /** The form's name, and the question before the list is deleted. */
  add: string;
  end: string;
  /** The texts without a list, with an empty one, and with entries. */
  off: string;
  empty: string;
  on: string;
}

export const RECIPIENTS: Words = {
  name: "recipients",
  noun: "recipient",
  title: t("settings_recipients"),
  off: t("settings_recipients_off"),
  empty: t("settings_recipients_empty"),
  on: t("settings_recipients_on"),
  add: t("settings_recipients_add"),
  end: t("settings_recipients_end"),
};

export const CONTRACTS: Words = {
  name: "contracts",
  noun: "contract",
  title: t("settings_contracts"),
  off: t("settings_contracts_off"),
  empty: t("settings_contracts_empty"),
  on: t("settings_contracts_on"),
  add: t("settings_contracts_add"),
  end: t("settings_contracts_end"),
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
    name: words.add,
    body: [field(t("settings_chain"), chain), field(t("settings_address"), address)],
    submit: [t("settings_list_submit"), t("settings_saving")],
    testId: `policy-${noun}-add`,
    async run(password) {
      await edit((listed) => [...listed, { chain: chain.value, address: address.value.trim() }], password);
      address.value = "";
      address.focus();
    },
    done: t("settings_added"),
  });

  function offerEnd(): void {
    const button = h(
      "button",
      { type: "button", class: "link", "data-testid": `policy-${noun}-off` },
      t("settings_list_end"),
    );
    button.addEventListener("click", () => {
      fill(
        off,
        confirmInline({
          question: words.end,
          yes: t("settings_list_delete"),
          testId: `policy-${noun}-off`,
          confirmed,
          kept: offerEnd,
        }),
      );
      off.querySelector("button")?.focus();
    });
    fill(off, button);
  }

  function confirmed(button: HTMLButtonElement): void {
    const slot = h("div", {});
    off.append(slot);
    const remove = (): Promise<void> => changeGuarded(slot, (password) => edit(() => null, password));
    whileBusy(button, t("settings_deleting"), remove).catch((error: unknown) => fill(off, problem(error, offerEnd)));
  }

  const row = ({ chain, address }: ListedAddress): HTMLElement =>
    ruleRow({
      testId: `policy-${noun}-row`,
      main: [h("span", { class: "chain" }, chain), h("span", { class: "address" }, plain(address))],
      remove: [t("settings_list_remove", plain(address)), `policy-${noun}-remove`],
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
      h("details", {}, h("summary", {}, t("settings_list_add")), form),
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
