// The approval of a site's connection: which site, what it will see, and for how long.

import type { PageAddress } from "../../generated/PageAddress";
import type { Prompt } from "../../generated/Prompt";
import { h } from "../popup/element";
import { choice, field } from "../popup/field";
import { shortAddress } from "../popup/format";
import { t } from "../popup/i18n";
import { originHeader, originParts } from "../popup/origin";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import { reasonSentence } from "../popup/reason-words";
import { daysOf, SPANS, USUAL_SPAN } from "../popup/sites/grant";
import type { Parts } from "./prompt";

export type ConnectPrompt = Extract<Prompt, { kind: "connect_dapp" }>;

/** A prompt with the accounts that can be shown to the site. */
export interface ConnectionAsked {
  readonly prompt: ConnectPrompt;
  readonly vaultName: string;
  /** The active vault's. */
  readonly addresses: readonly PageAddress[];
}

export function connectionParts({ prompt, vaultName, addresses }: ConnectionAsked, answers: Answers): Parts {
  const chains = new ChainChoice(prompt.chains, addresses);
  const span = choice(SPANS, { "data-testid": "grant-days" });
  span.value = USUAL_SPAN;
  const approve = answers.button({
    words: t("approve_connect"),
    approves: true,
    busy: t("approve_connecting"),
    testId: "prompt-approve",
    tone: "primary",
    ready: () => chains.ready(),
    answer: () => ({ approve: true, grant: { ...chains.given(), days: daysOf(span.value) } }),
  });
  const reject = answers.button({
    words: t("approve_connect_not"),
    approves: false,
    busy: t("approve_rejecting"),
    testId: "prompt-reject",
    answer: () => ({ approve: false }),
  });
  const body = h(
    "div",
    { class: "asked connection" },
    h("h1", { tabindex: -1 }, t("approve_connect_question")),
    originHeader(prompt.origin),
    reasonList(prompt),
    h("h2", {}, t("sites_will_see", plain(vaultName))),
    chains.element,
    field(t("sites_how_long"), span, t("approve_connect_undo")),
    h(
      "details",
      { class: "choice" },
      h("summary", {}, t("sites_what_it_means")),
      abilities(t("approve_connect_able"), [t("approve_can_see"), t("approve_can_ask")], "check"),
      abilities(t("approve_connect_unable"), [t("approve_cannot_sign"), t("approve_cannot_see")], "cross"),
    ),
  );
  return { body, buttons: h("div", { class: "buttons" }, reject, approve, answers.why) };
}

/** What the core found out about the site. */
function reasonList({ reasons, origin }: ConnectPrompt): HTMLElement {
  // The header says these itself, beside the letters that they are about.
  const { reads, isMixed } = originParts(origin);
  const isSaid = (code: string): boolean =>
    (code === "encoded_name" && reads !== undefined) || (code === "mixed_scripts" && isMixed);
  const untold = reasons.filter(({ code }) => !isSaid(code));
  if (untold.length === 0) return h("p", { class: "hint" }, t("approve_connect_check"));
  const lines = untold.map(({ code, message }) =>
    h("li", { "data-code": code }, plain(reasonSentence(code, message))),
  );
  return h("ul", { class: "warnings", role: "alert", "data-testid": "connect-reasons" }, ...lines);
}

/** Chains with the same address are one line of the list, which opens. */
class ChainChoice {
  readonly element: HTMLElement;
  readonly #boxes: { name: string; box: HTMLInputElement }[];
  readonly #missing = h("p", { class: "field-error", role: "alert", hidden: true }, t("sites_choose_a_chain"));

  /** Those that the site asks for are chosen, or all EVM chains if it names none. */
  constructor(asked: readonly string[], addresses: readonly PageAddress[]) {
    const isChosen = ({ chain, isEvm }: PageAddress): boolean => (asked.length === 0 ? isEvm : asked.includes(chain));
    this.#boxes = addresses.map((one) => ({
      name: one.chain,
      box: h("input", { type: "checkbox", checked: isChosen(one), "data-testid": `grant-chain-${one.chain}` }),
    }));
    const rows = addresses.map((one, i) => ({ ...one, isChosen: isChosen(one), box: this.#boxes[i]?.box }));
    const absent = asked.filter((name) => !addresses.some(({ chain }) => chain === name));
    const chosen = rows.filter(({ isChosen }) => isChosen);
    const wanted = [...new Set(chosen.map(({ address }) => address))];
    const others = rows.filter(({ isChosen }) => !isChosen);
    this.element = h(
      "div",
      { class: "grant-chains", role: "group", "aria-label": t("sites_chains") },
      ...wanted.map((address) => group(address, chosen.filter((row) => row.address === address))),
      absent.length > 0 && h("p", { class: "hint" }, t("sites_chains_absent", absent.join(", "))),
      others.length > 0 &&
        h("details", { class: "choice", open: wanted.length === 0 }, h("summary", {}, t("sites_more_chains")), ...others.map(tick)),
      addresses.length === 0 && h("p", { class: "hint" }, t("sites_no_chains")),
      this.#missing,
    );
  }

  chosen(): string[] {
    return this.#boxes.filter(({ box }) => box.checked).map(({ name }) => name);
  }

  /** Nothing of a wallet without a vault, which has no chains to choose from. */
  given(): { chains?: string[] } {
    return this.#boxes.length === 0 ? {} : { chains: this.chosen() };
  }

  ready(): boolean {
    // A vault without chains can be connected as well: the page then sees nothing.
    const isReady = this.#boxes.length === 0 || this.chosen().length > 0;
    this.#missing.hidden = isReady;
    return isReady;
  }
}

function abilities(heading: string, lines: readonly string[], sign: "check" | "cross"): HTMLElement {
  return h(
    "div",
    {},
    h("h2", {}, heading),
    h("ul", { class: "abilities", "data-sign": sign }, ...lines.map((line) => h("li", {}, line))),
  );
}

interface Row extends PageAddress {
  readonly box: HTMLInputElement | undefined;
}

const tick = ({ chain, box }: Row): HTMLElement => h("label", { class: "tick grant-chain" }, box, h("span", {}, chain));

/** An address, and the chains on which the site would see it. */
function group(address: string, rows: readonly Row[]): HTMLElement {
  return h(
    "div",
    { class: "grant-group" },
    h("code", { class: "grant-address", dir: "ltr", title: address, "data-testid": "grant-address" }, shortAddress(address)),
    h("div", { class: "grant-names" }, ...rows.map(tick)),
  );
}
