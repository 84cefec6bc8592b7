// Texts for a bundle's progress. Nothing here uses elements, so that the texts can be tested.

import type { BundleView } from "../../../generated/BundleView";
import type { Step } from "../../../generated/Step";
import type { StepProgress } from "../../../generated/StepProgress";
import type { StepStatus } from "../../../generated/StepStatus";
import type { TransactionProgress } from "../../../generated/TransactionProgress";
import type { TransactionRole } from "../../../generated/TransactionRole";
import { codeOf, sentenceOf } from "../errors";
import { span } from "../format";
import { plural, t } from "../i18n";
import { effectWords } from "./effects";

const SECOND = 1_000;

const STATUSES: Record<StepStatus, string> = {
  queued: t("bundle_status_queued"),
  signing: t("bundle_status_signing"),
  signed: t("bundle_status_signed"),
  sent: t("bundle_status_sent"),
  confirmed: t("bundle_status_confirmed"),
  failed: t("bundle_status_failed"),
  timeout: t("bundle_status_timeout"),
  pending: t("bundle_status_sent"),
};

export const ROLE_WORDS: Record<TransactionRole, string> = {
  approval: t("bundle_role_approval"),
  swap: t("bundle_role_swap"),
  transfer: t("bundle_role_transfer"),
};

/** Why a running transaction does not progress. */
const HINTS: Record<string, string> = {
  no_answer: t("bundle_hint_no_answer"),
  not_found: t("bundle_hint_not_found"),
  reorganised: t("bundle_hint_reorganised"),
  stale_transaction: t("bundle_hint_stale"),
};

/** Titles of ended bundles, by error code. */
const ENDINGS: Record<string, string> = {
  rejected_by_user: t("bundle_end_rejected"),
  consent_expired: t("bundle_end_expired"),
  stopped_by_user: t("bundle_end_stopped"),
  kill_switch: t("bundle_end_stopped"),
  stopped: t("bundle_end_stopped"),
  receipt_timeout: t("bundle_end_unknown"),
};

export type Tone = "run" | "wait" | "good" | "bad";

export interface Words {
  tone: Tone;
  title: string;
  text: string;
}

export function statusWords(status: StepStatus, ended: boolean): string {
  return isSkipped(status, ended) ? t("bundle_not_run") : STATUSES[status];
}

/** The bundle ended before this step. */
export const isSkipped = (status: StepStatus, ended: boolean): boolean => ended && status === "queued";

/** The final status of a step that was interrupted by the bundle's end. */
export function statusOf(status: StepStatus, ended: boolean): StepStatus {
  if (!ended || !isUnderWay(status)) return status;
  return status === "signing" ? "failed" : "timeout";
}

const UNDER_WAY: readonly StepStatus[] = ["signing", "signed", "sent"];

export const isUnderWay = (status: StepStatus): boolean => UNDER_WAY.includes(status);

/** What a step does, from its bytes: of an approval and its swap, the swap. */
export function stepWords({ transactions }: Step): string {
  const effects = transactions.at(-1)?.explanation.effects ?? [];
  const main = effects.find(({ kind }) => kind !== "change") ?? effects[0];
  if (!main) return t("bundle_moves_nothing");
  return effectWords(main).words.split(". ", 1)[0] ?? "";
}

/** The stages of a transaction: checked, signed, sent, confirmed. */
export type Mark = "done" | "now" | "open" | "bad" | "unclear";

export const STAGES = [
  t("bundle_stage_asked"),
  t("bundle_status_signed"),
  t("bundle_status_sent"),
  t("bundle_status_confirmed"),
] as const;

export function marksOf({ status, signedAt, sentAt }: TransactionProgress): Mark[] {
  const until = (reached: number, last: Mark): Mark[] =>
    STAGES.map((_, place) => (place < reached ? "done" : place === reached ? last : "open"));
  const broken = signedAt === null ? 1 : sentAt === null ? 2 : 3;
  switch (status) {
    case "queued":
      return until(1, "open");
    case "signing":
      return until(1, "now");
    case "signed":
      return until(2, "now");
    case "sent":
      return until(3, "now");
    case "pending":
      return until(3, "open");
    case "confirmed":
      return until(4, "done");
    case "failed":
      return until(broken, "bad");
    case "timeout":
      return until(broken, "unclear");
  }
}

/** The time so far, and the time left until its deadline. */
export function clockWords({ status, signedAt, settledAt, deadline }: TransactionProgress, now: number): string {
  if (signedAt === null) return "";
  if (status === "pending") return t("bundle_no_waiting");
  const took = (millis: number): string => (millis < SECOND ? t("bundle_moment") : span(millis));
  if (settledAt !== null) return t(status === "timeout" ? "bundle_waited" : "bundle_took", took(settledAt - signedAt));
  if (status === "timeout") return t("bundle_still_looking");
  const since = span(now - signedAt);
  if (deadline === null) return t("bundle_signed_ago", since);
  return deadline > now ? t("bundle_waits_more", since, span(deadline - now)) : t("bundle_last_check", since);
}

/** An outcome after the bundle's end, which does not change the bundle's result. */
export function lateWords({ late, status, deadline, settledAt }: TransactionProgress): string | undefined {
  if (!late || (status !== "confirmed" && status !== "failed")) return undefined;
  const inTime = deadline !== null && settledAt !== null && settledAt <= deadline;
  if (status === "confirmed") return t(inTime ? "bundle_confirmed_after_end" : "bundle_confirmed_after_deadline");
  return t(inTime ? "bundle_failed_after_end" : "bundle_failed_after_deadline");
}

/** Why a step does not progress, or failed. */
export function problemOf({ status, error }: StepProgress): string | undefined {
  if (error === null || status === "confirmed" || status === "pending") return undefined;
  const dispute = disputeOf(error);
  if (status === "timeout" && dispute !== undefined) return `${sentenceOf(error)} ${dispute}`;
  // The step's number is shown above.
  if (status === "failed" || status === "timeout") return sentenceOf(error.replace(/: step \d+: /, ": "));
  return dispute === undefined ? HINTS[codeOf(error)] : t("bundle_asks_again", dispute);
}

/** Which node says what, where two of them must agree and do not. */
function disputeOf(error: string): string | undefined {
  const cause = error.replace(/^receipt_timeout: /, "");
  return codeOf(cause) === "nodes_disagree" ? sentenceOf(cause) : undefined;
}

export function headOf(view: BundleView): Words {
  const words = (tone: Tone, title: string, text = ""): Words => ({ tone, title, text });
  switch (view.state) {
    case "checked":
      return words("run", t("bundle_checking"));
    case "asking":
      return words("wait", t("bundle_asking"), t("bundle_asking_text"));
    case "approved":
      if (view.behind === null) return words("run", t("bundle_approved"), t("bundle_approved_text"));
      return words("wait", t("bundle_behind"), t("bundle_behind_text"));
    case "running":
      return words("run", runningTitle(view));
    case "done":
      return view.success === true ? goodEnd(view) : badEnd(view);
  }
}

function runningTitle({ progress }: BundleView): string {
  const place = progress.findIndex(({ status }) => isUnderWay(status));
  const shown = place === -1 ? Math.min(progress.filter(isOver).length, progress.length - 1) : place;
  return progress.length === 1 ? t("bundle_running") : t("bundle_running_step", shown + 1, progress.length);
}

const isOver = ({ status }: StepProgress): boolean => status !== "queued" && !isUnderWay(status);

function goodEnd({ progress }: BundleView): Words {
  const open = progress.filter(({ status }) => status === "pending").length;
  const text = t(plural(open, "bundle_open_one", "bundle_open_other"), open);
  if (open > 0) return { tone: "good", title: t("bundle_all_sent"), text };
  const amount = progress.length;
  const all = amount === 1 ? t("bundle_all_confirmed_one") : t("bundle_all_confirmed_other", amount);
  return { tone: "good", title: t("bundle_done"), text: all };
}

function badEnd(view: BundleView): Words {
  const code = codeOf(view.error ?? "");
  const late = view.progress.some(({ transactions }) => transactions.some((one) => lateWords(one) !== undefined));
  const broken = view.progress.find(({ status }) => status === "failed" || status === "timeout");
  const isBegun = view.progress.some(({ status }) => status !== "queued");
  const place = broken && view.progress.length > 1 ? numberOf(view, broken) : undefined;
  const failed = place === undefined ? t("bundle_end_failed") : t("bundle_end_failed_at", place);
  const unsaid = isBegun ? failed : t("bundle_end_not_done");
  const title = ENDINGS[code] ?? (broken?.status === "timeout" ? t("bundle_end_unknown") : unsaid);
  // Reported as unknown, and confirmed since.
  if (code === "receipt_timeout" && late && !broken) {
    return { tone: "wait", title: t("bundle_end_late"), text: restWords(view).join(" ") };
  }
  // The error is shown at the step itself.
  const isSaid = view.progress.some((step) => isOver(step) && codeOf(step.error ?? "") === code);
  const why = view.error === null || isSaid ? [] : [sentenceOf(view.error)];
  return { tone: broken?.status === "timeout" ? "wait" : "bad", title, text: [...why, ...restWords(view)].join(" ") };
}

/** A step's place, counted from 1. */
const numberOf = ({ progress }: BundleView, step: StepProgress): number => progress.indexOf(step) + 1;

/** The state of the other steps after one has ended the bundle. */
function restWords({ progress }: BundleView): string[] {
  const confirmed = progress.filter(({ status }) => status === "confirmed").length;
  const skipped = progress.filter(({ status }) => status === "queued").length;
  if (skipped === progress.length) return [];
  const rest: string[] = [];
  const confirmedWords = t(plural(confirmed, "bundle_rest_confirmed_one", "bundle_rest_confirmed_other"), confirmed);
  const skippedWords = t(plural(skipped, "bundle_rest_skipped_one", "bundle_rest_skipped_other"), skipped);
  if (confirmed > 0) rest.push(confirmedWords);
  if (skipped > 0) rest.push(skippedWords);
  return rest;
}

/** Announced to screen readers when something changes; clocks are not announced. */
export function announcement(view: BundleView): string {
  const { title, text } = headOf(view);
  const ended = view.state === "done";
  const current = view.progress.find(({ status }) => isUnderWay(status));
  const place = current && t("bundle_announce_step", numberOf(view, current), statusWords(current.status, ended));
  return [`${title}.`, place ?? "", ended ? text : ""].filter((part) => part !== "").join(" ");
}

/** The label of the stop button. */
export const stopWords = ({ state }: BundleView): string =>
  state === "approved" ? t("bundle_stop_before_start") : t("bundle_stop_before_next");

/** Whether stopping now would prevent a step. */
export function canStop({ state, stopping, progress }: BundleView): boolean {
  const isOpen = state === "approved" || state === "running";
  return isOpen && !stopping && progress.some(({ status }) => status === "queued");
}
