// Every call of every sender, with its input, its result and its delivery.

import type { Call } from "../../../generated/Call";
import type { CallChange } from "../../../generated/CallChange";
import { progressIcon } from "../agent/card";
import { getCalls } from "../api";
import { CallLoader, changed } from "../call-loader";
import { DELIVERY_WORDS, outcomeOf, progressOf, PROGRESS_WORDS, sourceWords, titleOf } from "../describe";
import { fill, h, type Child } from "../element";
import type { WireEvent } from "../events";
import { day, fullTime, pretty, timeOfDay } from "../format";
import { t } from "../i18n";
import { emptyState, loading, problem, whileBusy } from "../parts";
import { plain } from "../plain";
import { stopButton } from "../stop-button";
import type { Log } from "./log";

export class CallLog implements Log {
  readonly element: HTMLElement;
  readonly #list = h("div", { class: "log" }, loading(t("activity_calls_loading")));
  readonly #more = h("div", { class: "more" });
  /** Newest first, by id: ids sort by time of arrival. */
  readonly #calls = new Map<string, Call>();
  readonly #open = new Set<string>();
  readonly #loader = new CallLoader((call) => this.#put(call));

  constructor() {
    this.element = h("div", { class: "log-page" }, this.#list, this.#more);
  }

  reload(): void {
    void this.#load();
  }

  async #load(cursor?: string): Promise<void> {
    try {
      const page = await getCalls(cursor);
      const isContinuation = cursor !== undefined || this.#calls.size === 0;
      for (const call of page.calls) this.#calls.set(call.id, call);
      // Reloading the first page does not change where the last shown page ends.
      if (isContinuation) this.#offerMore(page.cursor);
      this.#render();
    } catch (error) {
      fill(
        this.#calls.size === 0 ? this.#list : this.#more,
        problem(error, () => void this.#load(cursor)),
      );
    }
  }

  #offerMore(cursor: string | null): void {
    const older = h("button", { type: "button", "data-testid": "activity-more" }, t("activity_older"));
    const load = (): Promise<void> => this.#load(cursor ?? undefined);
    older.addEventListener("click", () => void whileBusy(older, t("activity_loading_more"), load));
    fill(this.#more, cursor !== null && older);
  }

  take(event: WireEvent): void {
    switch (event.event) {
      case "tool.started":
        return this.#loader.load(event.data.call.id);
      case "action_result":
      case "result_delivered":
      case "confirmation_required":
      case "tx_bundle_approval":
      case "message_approval":
      case "password_required":
      case "elicitation":
        this.#change(event.data.call);
    }
  }

  #change(change: CallChange): void {
    const known = this.#calls.get(change.id);
    if (known) this.#put(changed(known, change));
    else this.#loader.load(change.id);
  }

  #put(call: Call): void {
    this.#calls.set(call.id, call);
    this.#render();
  }

  #render(): void {
    if (this.#calls.size === 0) {
      fill(this.#list, emptyState("activity", t("activity_calls_empty"), t("activity_calls_empty_text")));
      return;
    }
    const newestFirst = [...this.#calls.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    const children: Child[] = [];
    let heading = "";
    for (const call of newestFirst) {
      const date = day(call.receivedAt);
      if (date !== heading) children.push(h("h2", {}, date));
      heading = date;
      children.push(this.#entry(call));
    }
    fill(this.#list, ...children);
  }

  #entry(call: Call): HTMLElement {
    const progress = progressOf(call);
    const toggled = (): void => void (entry.open ? this.#open.add(call.id) : this.#open.delete(call.id));
    const entry: HTMLDetailsElement = h(
      "details",
      {
        class: "log-entry",
        open: this.#open.has(call.id),
        "data-testid": "activity-entry",
        "data-state": progress,
        "data-action-id": call.actionId,
        on: { toggle: toggled },
      },
      h(
        "summary",
        {},
        h("span", { class: "card-icon", title: PROGRESS_WORDS[progress] }, progressIcon(progress)),
        h(
          "span",
          { class: "log-main" },
          h("span", { class: "log-title" }, plain(titleOf(call))),
          h(
            "span",
            { class: "muted small" },
            t("activity_asked_outcome", sourceWords(call.source), outcomeOf(call) ?? PROGRESS_WORDS[progress]),
          ),
        ),
        h("time", { class: "muted small" }, timeOfDay(call.receivedAt)),
      ),
      stopButton(call),
      record(call),
    );
    return entry;
  }
}

function record(call: Call): HTMLElement {
  const done = call.state.name === "done" ? call.state : undefined;
  return h(
    "dl",
    { class: "record" },
    ...line(
      t("activity_record_tool"),
      h("code", {}, call.tool ?? t("activity_record_tool_unknown")),
      call.tool !== call.type && h("span", { class: "muted" }, ` ${t("activity_record_sent_as", call.type)}`),
    ),
    ...line(
      t("activity_record_asked"),
      t("activity_record_asked_by", sourceWords(call.source), fullTime(call.receivedAt)),
    ),
    ...(done ? line(t("activity_record_ended"), fullTime(done.at)) : []),
    ...line(t("activity_record_result"), DELIVERY_WORDS[call.delivery]),
    ...line(t("activity_record_id"), h("code", {}, call.actionId || call.id)),
    ...line(t("activity_record_input"), h("pre", {}, plain(pretty(call.params)))),
    ...(done
      ? line(t("activity_record_output"), h("pre", {}, plain(pretty(done.result.data ?? done.result.error))))
      : []),
  );
}

function line(term: string, ...description: readonly Child[]): [HTMLElement, HTMLElement] {
  return [h("dt", {}, term), h("dd", {}, ...description)];
}
