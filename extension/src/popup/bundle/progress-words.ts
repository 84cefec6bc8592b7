// Texts for a bundle's progress. Nothing here uses elements, so that the texts can be tested.

import type { BundleView } from "../../../generated/BundleView";
import type { Step } from "../../../generated/Step";
import type { StepProgress } from "../../../generated/StepProgress";
import type { StepStatus } from "../../../generated/StepStatus";
import type { TransactionProgress } from "../../../generated/TransactionProgress";
import type { TransactionRole } from "../../../generated/TransactionRole";
import { codeOf, sentenceOf } from "../errors";
import { count, span } from "../format";
import { effectWords } from "./effects";

const SECOND = 1_000;

const STATUSES: Record<StepStatus, string> = {
  queued: "Waiting",
  signing: "Signing",
  signed: "Signed",
  sent: "Sent",
  confirmed: "Confirmed",
  failed: "Failed",
  timeout: "Unclear",
  pending: "Sent",
};

export const ROLE_WORDS: Record<TransactionRole, string> = {
  approval: "Token approval",
  swap: "Swap",
  transfer: "Transaction",
};

/** Why a running transaction does not progress. */
const HINTS: Record<string, string> = {
  no_answer: "No node answers at the moment. The wallet keeps trying.",
  not_found: "No node has it at the moment. The wallet keeps looking and sends the same transaction again.",
  reorganised: "Its block was replaced. The wallet looks for it again.",
  stale_transaction: "The chain no longer accepts it. The wallet checks again.",
};

/** Titles of ended bundles, by error code. */
const ENDINGS: Record<string, string> = {
  rejected_by_user: "Rejected",
  consent_expired: "Not answered",
  stopped_by_user: "Stopped",
  kill_switch: "Stopped",
  stopped: "Stopped",
  receipt_timeout: "Outcome unknown",
};

export type Tone = "run" | "wait" | "good" | "bad";

export interface Words {
  tone: Tone;
  title: string;
  text: string;
}

export function statusWords(status: StepStatus, ended: boolean): string {
  return isSkipped(status, ended) ? "Not run" : STATUSES[status];
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
  if (!main) return "Moves nothing";
  return effectWords(main).words.split(". ", 1)[0] ?? "";
}

/** The stages of a transaction: checked, signed, sent, confirmed. */
export type Mark = "done" | "now" | "open" | "bad" | "unclear";

export const STAGES = ["Asked", "Signed", "Sent", "Confirmed"] as const;

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
  if (status === "pending") return "Sent without waiting for the confirmation";
  const took = (millis: number): string => (millis < SECOND ? "less than a second" : span(millis));
  if (settledAt !== null) return `${status === "timeout" ? "Waited" : "Took"} ${took(settledAt - signedAt)}`;
  if (status === "timeout") return "The wallet still looks for the outcome";
  const since = `Signed ${span(now - signedAt)} ago`;
  if (deadline === null) return since;
  return deadline > now ? `${since} · waits ${span(deadline - now)} more` : `${since} · last check`;
}

/** An outcome after the bundle's end, which does not change the bundle's result. */
export function lateWords({ late, status, deadline, settledAt }: TransactionProgress): string | undefined {
  if (!late || (status !== "confirmed" && status !== "failed")) return undefined;
  const inTime = deadline !== null && settledAt !== null && settledAt <= deadline;
  return `${STATUSES[status]} after the ${inTime ? "bundle had ended" : "deadline"}`;
}

/** Why a step does not progress, or failed. */
export function problemOf({ status, error }: StepProgress): string | undefined {
  if (error === null || status === "confirmed" || status === "pending") return undefined;
  const dispute = disputeOf(error);
  if (status === "timeout" && dispute !== undefined) return `${sentenceOf(error)} ${dispute}`;
  // The step's number is shown above.
  if (status === "failed" || status === "timeout") return sentenceOf(error.replace(/: step \d+: /, ": "));
  return dispute === undefined ? HINTS[codeOf(error)] : `${dispute} The wallet asks again.`;
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
      return words("run", "Checking");
    case "asking":
      return words("wait", "Waiting for your answer", "Nothing is signed before you approve.");
    case "approved":
      if (view.behind === null) return words("run", "Approved", "It starts in a moment.");
      return words("wait", "Waiting for its turn", "Another bundle uses the same account.");
    case "running":
      return words("run", runningTitle(view));
    case "done":
      return view.success === true ? goodEnd(view) : badEnd(view);
  }
}

function runningTitle({ progress }: BundleView): string {
  const place = progress.findIndex(({ status }) => isUnderWay(status));
  const shown = place === -1 ? Math.min(progress.filter(isOver).length, progress.length - 1) : place;
  return progress.length === 1 ? "Running" : `Step ${shown + 1} of ${progress.length} is running`;
}

const isOver = ({ status }: StepProgress): boolean => status !== "queued" && !isUnderWay(status);

function goodEnd({ progress }: BundleView): Words {
  const open = progress.filter(({ status }) => status === "pending").length;
  const text = `${count(open, "step")} ${open === 1 ? "is" : "are"} sent without waiting for the confirmation.`;
  if (open > 0) return { tone: "good", title: "Everything was sent", text };
  const all = progress.length === 1 ? "The transaction is confirmed." : `All ${progress.length} steps are confirmed.`;
  return { tone: "good", title: "Done", text: all };
}

function badEnd(view: BundleView): Words {
  const code = codeOf(view.error ?? "");
  const late = view.progress.some(({ transactions }) => transactions.some((one) => lateWords(one) !== undefined));
  const broken = view.progress.find(({ status }) => status === "failed" || status === "timeout");
  const isBegun = view.progress.some(({ status }) => status !== "queued");
  const failed = broken && view.progress.length > 1 ? `Failed at step ${numberOf(view, broken)}` : "Failed";
  const title = ENDINGS[code] ?? (broken?.status === "timeout" ? "Outcome unknown" : isBegun ? failed : "Not done");
  // Reported as unknown, and confirmed since.
  if (code === "receipt_timeout" && late && !broken) {
    return { tone: "wait", title: "Confirmed after the deadline", text: restWords(view).join(" ") };
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
  const were = (amount: number): string => `${count(amount, "step")} ${amount === 1 ? "was" : "were"}`;
  if (confirmed > 0) rest.push(`${were(confirmed)} confirmed and cannot be undone.`);
  if (skipped > 0) rest.push(`${were(skipped)} not run.`);
  return rest;
}

/** Announced to screen readers when something changes; clocks are not announced. */
export function announcement(view: BundleView): string {
  const { title, text } = headOf(view);
  const ended = view.state === "done";
  const current = view.progress.find(({ status }) => isUnderWay(status));
  const place = current && `Step ${numberOf(view, current)}: ${statusWords(current.status, ended)}.`;
  return [`${title}.`, place ?? "", ended ? text : ""].filter((part) => part !== "").join(" ");
}

/** The label of the stop button. */
export const stopWords = ({ state }: BundleView): string =>
  state === "approved" ? "Stop before it starts" : "Stop before the next step";

/** Whether stopping now would prevent a step. */
export function canStop({ state, stopping, progress }: BundleView): boolean {
  const isOpen = state === "approved" || state === "running";
  return isOpen && !stopping && progress.some(({ status }) => status === "queued");
}
