// The audit log of requests, decisions and results, with a check for later changes.

import type { AuditCheck } from "../../../generated/AuditCheck";
import type { AuditCheckpoint } from "../../../generated/AuditCheckpoint";
import type { AuditEntry } from "../../../generated/AuditEntry";
import { checkAudit, exportAudit, getAudit } from "../api";
import { download } from "../download";
import { fill, h, type Child } from "../element";
import { promptIn, type WireEvent } from "../events";
import { day, fullTime, timeOfDay } from "../format";
import { plural, t } from "../i18n";
import { copyButton, emptyState, loading, problem, whileBusy } from "../parts";
import { plain } from "../plain";
import { auditFacts, auditWords } from "./audit-words";
import type { Log } from "./log";

/** Events come in bursts; one reload covers them all. */
const SETTLE_MILLIS = 300;

export class AuditLog implements Log {
  readonly element: HTMLElement;
  readonly #verdict = h("div", { class: "notice-slot", role: "status" });
  readonly #list = h("div", { class: "log" }, loading(t("activity_audit_loading")));
  readonly #more = h("div", { class: "more" });
  /** By number, the log's order. */
  readonly #entries = new Map<number, AuditEntry>();
  readonly #open = new Set<number>();
  #news: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const check = this.#tool(t("activity_audit_check"), t("activity_audit_checking"), "audit-check", async () =>
      this.#show(await checkAudit()),
    );
    const save = this.#tool(t("activity_audit_export"), t("activity_audit_exporting"), "audit-export", async () =>
      download(await exportAudit()),
    );
    this.element = h(
      "div",
      { class: "log-page" },
      h("p", { class: "hint" }, t("activity_audit_hint")),
      h("div", { class: "buttons start" }, check, save),
      this.#verdict,
      this.#list,
      this.#more,
    );
  }

  take(event: WireEvent): void {
    if (!promptIn(event) && event.event !== "action_result" && event.event !== "vaultModified") return;
    clearTimeout(this.#news);
    this.#news = setTimeout(() => this.reload(), SETTLE_MILLIS);
  }

  reload(): void {
    void this.#load();
  }

  #tool(words: string, busy: string, testId: string, work: () => Promise<void>): HTMLButtonElement {
    const button = h("button", { type: "button", "data-testid": testId }, words);
    button.addEventListener("click", () => {
      const failed = (error: unknown): void => fill(this.#verdict, problem(error));
      void whileBusy(button, busy, work).catch(failed);
    });
    return button;
  }

  async #load(cursor?: number): Promise<void> {
    try {
      const page = await getAudit(cursor);
      const isContinuation = cursor !== undefined || this.#entries.size === 0;
      for (const entry of page.entries) this.#entries.set(entry.number, entry);
      // Reloading the first page does not change where the last shown page ends.
      if (isContinuation) this.#offerMore(page.cursor);
      this.#render();
    } catch (error) {
      const place = this.#entries.size === 0 ? this.#list : this.#more;
      fill(
        place,
        problem(error, () => void this.#load(cursor)),
      );
    }
  }

  #offerMore(cursor: number | null): void {
    const older = h("button", { type: "button", "data-testid": "audit-more" }, t("activity_older"));
    const load = (): Promise<void> => this.#load(cursor ?? undefined);
    older.addEventListener("click", () => void whileBusy(older, t("activity_loading_more"), load));
    fill(this.#more, cursor !== null && older);
  }

  #show({ entries, head, brokenAt, checkpoint }: AuditCheck): void {
    const whole = brokenAt === null;
    const words = whole
      ? [intactWords(entries), ...olderWords(checkpoint)].join(" ")
      : t("activity_audit_broken", brokenAt);
    fill(
      this.#verdict,
      h(
        "div",
        { class: "verdict", "data-testid": "audit-verdict", "data-whole": String(whole) },
        h("b", {}, words),
        h("span", { class: "hint" }, t("activity_audit_head")),
        h(
          "span",
          { class: "head" },
          h("code", {}, head),
          copyButton(t("activity_audit_copy"), head, "audit-head-copy"),
        ),
      ),
    );
  }

  #render(): void {
    if (this.#entries.size === 0) {
      const text = t("activity_audit_empty_text");
      return fill(this.#list, emptyState("activity", t("activity_audit_empty"), text));
    }
    const newestFirst = [...this.#entries.values()].sort((a, b) => b.number - a.number);
    const children: Child[] = [];
    let heading = "";
    for (const entry of newestFirst) {
      const date = day(entry.at);
      if (date !== heading) children.push(h("h2", {}, date));
      heading = date;
      children.push(this.#row(entry));
    }
    fill(this.#list, ...children);
  }

  #row(entry: AuditEntry): HTMLElement {
    const { words, more } = auditWords(entry);
    const toggled = (): void => void (row.open ? this.#open.add(entry.number) : this.#open.delete(entry.number));
    const facts = auditFacts(entry).flatMap(([name, value]) => [
      h("dt", {}, name),
      h("dd", {}, h("code", {}, plain(value))),
    ]);
    const row: HTMLDetailsElement = h(
      "details",
      {
        class: "log-entry",
        open: this.#open.has(entry.number),
        "data-testid": "audit-row",
        "data-kind": entry.kind,
        "data-number": entry.number,
        on: { toggle: toggled },
      },
      h(
        "summary",
        {},
        h("span", { class: "audit-number" }, String(entry.number)),
        h(
          "span",
          { class: "log-main" },
          h("span", { class: "log-title" }, plain(words)),
          more !== "" && h("span", { class: "muted small" }, plain(more)),
        ),
        h("time", { class: "muted small" }, timeOfDay(entry.at)),
      ),
      h("dl", { class: "record" }, h("dt", {}, t("activity_when")), h("dd", {}, fullTime(entry.at)), ...facts),
    );
    return row;
  }
}

function intactWords(entries: number): string {
  return t(plural(entries, "activity_audit_intact_one", "activity_audit_intact_other"), entries);
}

/** What is said of the entries before the first that is kept. */
function olderWords(checkpoint: AuditCheckpoint | undefined): string[] {
  if (checkpoint === undefined) return [];
  const { number, through, at, removed } = checkpoint;
  const key = removed === 0 ? "activity_audit_older_missing" : "activity_audit_older_removed";
  return [t(key, through, day(at), number)];
}
