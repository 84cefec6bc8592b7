// Who saved a contact or added a token, and the box on what the user has not confirmed.

import type { AddedBy } from "../../generated/AddedBy";
import { h, type Child } from "./element";
import { t } from "./i18n";
import { problem, whileBusy } from "./parts";
import { plain } from "./plain";

/** Coins of an earlier version do not say who added them, and count as the agent's. */
export function adderWords(by: AddedBy | undefined): string {
  switch (by?.kind) {
    case "user":
      return t("common_by_user");
    case "agent":
    case undefined:
      return t("common_by_agent");
    case "dapp":
      return plain(by.origin);
  }
}

interface Unconfirmed {
  /** "Saved by the agent". */
  mark: string;
  /** What the user should look at. */
  details: readonly Child[];
  /** The accessible name of the button. */
  label: string;
  /** The box has the test id `{testId}-unconfirmed`, its button `{testId}-confirm`. */
  testId: string;
  confirm: () => Promise<unknown>;
  changed: () => void;
}

/** The mark, what there is to know, and the button with which the user confirms. */
export function unconfirmedBox({ mark, details, label, testId, confirm, changed }: Unconfirmed): HTMLElement {
  const click = (): void => void run();
  const button = h(
    "button",
    { type: "button", "aria-label": label, "data-testid": `${testId}-confirm`, on: { click } },
    t("common_confirm"),
  );
  const box = h(
    "div",
    { class: "unconfirmed", "data-testid": `${testId}-unconfirmed` },
    h("div", { class: "unconfirmed-words" }, h("b", {}, mark), ...details),
    button,
  );

  async function run(): Promise<void> {
    box.querySelector(".problem")?.remove();
    try {
      await whileBusy(button, t("common_confirming"), async () => {
        await confirm();
      });
      changed();
    } catch (error) {
      box.append(problem(error));
    }
  }

  return box;
}
