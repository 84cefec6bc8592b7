// One action of the agent: running, then perhaps waiting for the person, then done or failed with its result.

import type { Call } from "../../../generated/Call";
import type { Prompt } from "../../../generated/Prompt";
import { answerPrompt, getCall } from "../api";
import { intentOf, outcomeOf, progressOf, PROGRESS_WORDS, rowsOf, titleOf, type Progress, type Row } from "../describe";
import { fill, h, icon, type Child } from "../element";
import { pretty, shortAddress, timeOfDay } from "../format";
import { problem, spinner, whileBusy } from "../parts";

const ROWS_SHOWN = 5;

export class ActionCard {
  readonly element: HTMLElement;
  #call: Call;
  #prompt: Prompt | undefined;

  constructor(call: Call, prompt?: Prompt) {
    this.#call = call;
    this.#prompt = prompt;
    this.element = h("article", { class: "card", tabindex: -1, "data-testid": "action-card" });
    this.#render();
  }

  update(call: Call, prompt?: Prompt): void {
    this.#call = call;
    this.#prompt = prompt ?? this.#prompt;
    this.#render();
  }

  #render(): void {
    const call = this.#call;
    const progress = progressOf(call);
    const hadFocus = this.element.contains(document.activeElement);
    const wasOpen = this.element.querySelector("details")?.open ?? false;

    this.element.dataset["state"] = progress;
    this.element.dataset["actionId"] = call.actionId;
    this.element.setAttribute("aria-label", `${titleOf(call)}: ${PROGRESS_WORDS[progress]}`);
    fill(
      this.element,
      h(
        "header",
        {},
        h("span", { class: "card-icon" }, progressIcon(progress)),
        h("h3", {}, titleOf(call)),
        h("span", { class: "chip" }, PROGRESS_WORDS[progress]),
      ),
      call.description !== undefined && h("p", { class: "card-description" }, call.description),
      progress === "waiting" && this.#question(),
      outcome(call),
      entryList(call, progress),
      progress === "waiting" && this.#buttons(),
      details(call, wasOpen),
    );
    // The pressed button is gone; the keyboard stays where the person was.
    if (hadFocus) this.element.focus({ preventScroll: true });
  }

  #question(): HTMLElement {
    const intent = intentOf(this.#call);
    const until = this.#prompt && ` Waits until ${timeOfDay(this.#prompt.expiresAt)}.`;
    return h(
      "p",
      { class: "question" },
      h("strong", {}, intent === undefined ? "Run this?" : `${intent}?`),
      h("span", { class: "muted" }, " Nothing happens before you approve.", until ?? ""),
    );
  }

  #buttons(): HTMLElement {
    const approve = h("button", { type: "button", class: "primary", "data-testid": "prompt-approve" }, "Approve");
    const reject = h("button", { type: "button", "data-testid": "prompt-reject" }, "Reject");
    const row = h("div", { class: "buttons" }, reject, approve);
    approve.addEventListener("click", () => void this.#answer(row, approve, true));
    reject.addEventListener("click", () => void this.#answer(row, reject, false));
    return row;
  }

  async #answer(row: HTMLElement, pressed: HTMLButtonElement, approve: boolean): Promise<void> {
    const { state, id } = this.#call;
    if (state.name !== "waiting") return;
    const buttons = [...row.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    this.element.querySelector(".problem")?.remove();
    await whileBusy(pressed, approve ? "Approving…" : "Rejecting…", async () => {
      try {
        await answerPrompt(state.promptId, approve);
      } catch (error) {
        row.before(problem(error));
      }
      // Whatever was answered, here or elsewhere, the record tells.
      const call = await getCall(id).catch(() => undefined);
      if (call && call.state.name !== "waiting") this.update(call);
    });
    for (const button of buttons) button.disabled = false;
  }
}

export function progressIcon(progress: Progress): Element {
  switch (progress) {
    case "running":
      return spinner("Running");
    case "waiting":
      return icon("pen");
    case "done":
      return icon("check");
    case "failed":
      return icon("cross");
  }
}

function entryList(call: Call, progress: Progress): HTMLElement | undefined {
  const rows = rowsOf(call);
  if (rows.length === 0) return undefined;
  // Someone who is asked must be able to compare every character; afterwards both ends are enough.
  const full = progress === "waiting";
  const shown = full ? rows : rows.slice(0, ROWS_SHOWN);
  const hidden = rows.length - shown.length;
  return h(
    "ul",
    { class: "entries" },
    ...shown.map((row) => entry(row, full)),
    hidden > 0 && h("li", { class: "muted" }, `and ${hidden} more`),
  );
}

function entry(row: Row, full: boolean): HTMLElement {
  return h(
    "li",
    { class: row.error === undefined ? undefined : "entry-failed" },
    row.title !== "" && h("span", { class: "entry-title" }, row.title),
    row.chain !== "" && h("span", { class: "chain" }, row.chain),
    row.address !== "" &&
      h("span", { class: "address", title: row.address }, full ? row.address : shortAddress(row.address)),
    row.error !== undefined && h("span", { class: "entry-error" }, row.error),
  );
}

function outcome(call: Call): HTMLElement | undefined {
  const text = outcomeOf(call);
  const saidByRow = rowsOf(call).some(({ error }) => error === text);
  return text === undefined || saidByRow ? undefined : h("p", { class: "outcome" }, text);
}

function details(call: Call, open: boolean): HTMLElement {
  const result: Child = call.state.name === "done" && h("pre", {}, pretty(call.state.result));
  return h(
    "details",
    { open },
    h("summary", {}, "Details"),
    h("div", { class: "detail-label" }, "Sent as ", h("code", {}, call.type)),
    h("pre", {}, pretty(call.params)),
    result && h("div", { class: "detail-label" }, "Result"),
    result,
  );
}
