// The person's own rules, which hold for the agent and for every site, whatever they wish.

import type { Policy } from "../../../../generated/Policy";
import { getCoins, getPolicy, putPolicy } from "../../api";
import { fill, h } from "../../element";
import { loading, problem } from "../../parts";
import { killSwitch } from "./kill-switch";
import { limits } from "./limits";
import { addressList, CONTRACTS, RECIPIENTS } from "./lists";
import type { Change, Section } from "./rules";
import { toolDecisions } from "./tools";

export class PolicyPanel {
  readonly element: HTMLElement;
  readonly #body = h("div", { class: "rule-sections" }, loading("Loading rules"));
  readonly #sections: readonly Section[];

  constructor() {
    // What another page changed meanwhile is kept: the change is made to the rules as they are now.
    const change: Change = async (edit) => this.#show(await putPolicy(edit(await getPolicy())));
    this.#sections = [
      killSwitch(change),
      limits(change),
      addressList(RECIPIENTS, change),
      addressList(CONTRACTS, change),
      toolDecisions(change),
    ];
    this.element = h(
      "section",
      { class: "panel", "aria-label": "Rules" },
      h("h2", {}, "Your rules"),
      h("p", { class: "hint" }, "What breaks a rule is refused before you are asked."),
      this.#body,
    );
  }

  async load(): Promise<void> {
    try {
      await this.#show(await getPolicy());
      fill(this.#body, ...this.#sections.map(({ element }) => element));
    } catch (error) {
      fill(
        this.#body,
        problem(error, () => void this.load()),
      );
    }
  }

  async #show(policy: Policy): Promise<void> {
    // Without a vault there are no coins, and amounts are told in smallest units.
    const coins = await getCoins().catch(() => []);
    for (const section of this.#sections) section.show(policy, coins);
  }
}
