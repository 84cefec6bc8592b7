import assert from "node:assert/strict";
import { it } from "node:test";
import type { BundleView } from "../generated/BundleView";
import type { Step } from "../generated/Step";
import type { StepProgress } from "../generated/StepProgress";
import type { StepStatus } from "../generated/StepStatus";
import type { TransactionProgress } from "../generated/TransactionProgress";
import { bundleIn } from "../src/popup/bundle/live";
import { announcement, canStop, clockWords, headOf, lateWords, marksOf } from "../src/popup/bundle/progress-words";
import { statusOf, stepWords, statusWords, problemOf } from "../src/popup/bundle/progress-words";
import { findingsOf } from "../src/popup/bundle/reasons";
import { span } from "../src/popup/format";

const SECOND = 1_000;

function transaction(status: StepStatus, parts: Partial<TransactionProgress> = {}): TransactionProgress {
  const times = { signedAt: null, sentAt: null, deadline: null, settledAt: null };
  return { role: "transfer", status, txHash: null, explorerUrl: null, late: false, ...times, ...parts };
}

function step(sequence: number, status: StepStatus, error: string | null = null): StepProgress {
  return { sequence, status, txHash: null, error, transactions: [transaction(status)] };
}

function bundle(parts: Partial<BundleView>): BundleView {
  return {
    ...{ id: "b", label: null, vaultId: "v", vaultName: "Main", source: { kind: "user" }, steps: [], digest: "d" },
    ...{ shown: "s" },
    ...{ verdict: { name: "allow" }, trial: [], skippedApproval: false, forPage: false, createdAt: 0, state: "running", progress: [] },
    ...{ behind: null, stopping: false, success: null, error: null },
    ...parts,
  };
}

const failed = (error: string, ...progress: StepProgress[]): BundleView =>
  bundle({ state: "done", success: false, error, progress });

it("a span is exact to the second up to an hour", () => {
  assert.deepEqual(
    [-5, 0, 59_999, 60_000, 125_000, 3_599_000, 3_840_000].map(span),
    ["0 s", "0 s", "59 s", "1 min 00 s", "2 min 05 s", "59 min 59 s", "1 h 04 min"],
  );
});

it("a transaction's clock shows elapsed and remaining time until it is settled", () => {
  const sent = transaction("sent", { signedAt: 0, deadline: 120 * SECOND });
  assert.equal(clockWords(transaction("signing"), 5), "");
  assert.equal(clockWords(sent, 12 * SECOND), "Signed 12 s ago · waits 1 min 48 s more");
  assert.equal(clockWords(sent, 130 * SECOND), "Signed 2 min 10 s ago · last check");
  assert.equal(clockWords({ ...sent, status: "confirmed", settledAt: 14 * SECOND }, 99 * SECOND), "Took 14 s");
  assert.equal(clockWords({ ...sent, status: "timeout", settledAt: 120 * SECOND }, 0), "Waited 2 min 00 s");
});

it("the stages are marked up to the current or failed one", () => {
  assert.deepEqual(marksOf(transaction("queued")), ["done", "open", "open", "open"]);
  assert.deepEqual(marksOf(transaction("sent")), ["done", "done", "done", "now"]);
  assert.deepEqual(marksOf(transaction("confirmed")), ["done", "done", "done", "done"]);
  assert.deepEqual(marksOf(transaction("failed")), ["done", "bad", "open", "open"]);
  assert.deepEqual(marksOf(transaction("failed", { signedAt: 1 })), ["done", "done", "bad", "open"]);
  assert.deepEqual(marksOf(transaction("failed", { signedAt: 1, sentAt: 2 })), ["done", "done", "done", "bad"]);
  assert.deepEqual(marksOf(transaction("timeout", { signedAt: 1, sentAt: 2 }))[3], "unclear");
});

it("a late outcome is labelled as late, except for unconfirmed steps", () => {
  const late = { late: true, deadline: 10, settledAt: 11 };
  assert.equal(lateWords(transaction("confirmed", late)), "Confirmed after the deadline");
  assert.equal(lateWords(transaction("failed", { ...late, settledAt: 9 })), "Failed after the bundle had ended");
  assert.equal(lateWords(transaction("timeout", late)), undefined);
  assert.equal(lateWords(transaction("confirmed", { ...late, late: false })), undefined);
});

it("a running bundle shows its step and why it waits", () => {
  const running = bundle({ progress: [step(1, "confirmed"), step(4, "sent"), step(7, "queued")] });
  assert.equal(headOf(running).title, "Step 2 of 3 is running");
  assert.equal(announcement(running), "Step 2 of 3 is running. Step 2: Sent.");
  const behind = headOf(bundle({ state: "approved", behind: "other" }));
  assert.equal(behind.text, "Another bundle uses the same account.");
});

it("an ended bundle shows the reason, the confirmed and the skipped steps once", () => {
  const broken = step(2, "failed", "transaction_failed: out of gas");
  const error = "transaction_failed: step 2: out of gas";
  assert.deepEqual(headOf(failed(error, step(1, "confirmed"), broken, step(3, "queued"))), {
    tone: "bad",
    title: "Failed at step 2",
    text: "1 step was confirmed and cannot be undone. 1 step was not run.",
  });
  assert.equal(problemOf(broken), "The transaction failed on chain, and its fee was charged: out of gas.");
  assert.deepEqual(headOf(failed("rejected_by_user: too much", step(1, "queued"))), {
    tone: "bad",
    title: "Rejected",
    text: "You rejected this.",
  });
  const stopped = headOf(failed("stopped_by_user", step(1, "confirmed"), step(2, "queued")));
  assert.equal(stopped.title, "Stopped");
  assert.match(stopped.text, /^You stopped it before the next step\. 1 step was confirmed/);
  const unclear = headOf(failed("receipt_timeout: x", step(1, "timeout", "receipt_timeout: no_answer: x")));
  assert.deepEqual([unclear.tone, unclear.title], ["wait", "Outcome unknown"]);
  const sent = headOf(bundle({ state: "done", success: true, progress: [step(1, "confirmed"), step(2, "pending")] }));
  assert.deepEqual(sent.title, "Everything was sent");
  assert.equal(statusWords("queued", true), "Not run");
  const settled = transaction("confirmed", { late: true, deadline: 1, settledAt: 2 });
  const late = { ...step(1, "confirmed"), transactions: [settled] };
  assert.equal(headOf(failed("receipt_timeout: x", late)).title, "Confirmed after the deadline");
});

it("an ended bundle has no running step: signed ones are unclear, others failed", () => {
  const all: StepStatus[] = ["queued", "signing", "signed", "sent", "confirmed"];
  const ended = all.map((status) => statusOf(status, true));
  assert.deepEqual(ended, ["queued", "failed", "timeout", "timeout", "confirmed"]);
  assert.deepEqual(
    all.map((status) => statusOf(status, false)),
    all,
  );
});

it("a temporary error is a hint, not a failure", () => {
  assert.match(problemOf(step(1, "sent", "no_answer: refused")) ?? "", /^No node answers at the moment/);
  assert.equal(problemOf(step(1, "sent", "something_new: x")), undefined);
  assert.equal(problemOf(step(1, "confirmed", "no_answer: x")), undefined);
});

it("a step that waits for two nodes to agree shows which node says what", () => {
  const said = "Two nodes disagree: a.example says confirmed, b.example does not know it";
  assert.equal(problemOf(step(1, "sent", `nodes_disagree: ${said}`)), `${said}. The wallet asks again.`);
  assert.equal(problemOf(step(1, "failed", `nodes_disagree: ${said}`)), `${said}.`);
  const late = problemOf(step(1, "timeout", `receipt_timeout: nodes_disagree: ${said}`)) ?? "";
  assert.match(late, /^It was sent but not confirmed in time\./);
  assert.ok(late.endsWith(` ${said}.`), late);
});

it("a bundle can be stopped while a step has not started", () => {
  const progress = [step(1, "sent"), step(2, "queued")];
  assert.equal(canStop(bundle({ progress })), true);
  assert.equal(canStop(bundle({ progress, stopping: true })), false);
  assert.equal(canStop(bundle({ progress: [step(1, "sent")] })), false);
  assert.equal(canStop(bundle({ progress, state: "asking" })), false);
  assert.equal(canStop(bundle({ progress, state: "done" })), false);
});

it("a node's finding is shown as one warning", () => {
  const asked = { findings: [{ code: "gapped", message: "m" }, { code: "unchecked", message: "n" }], sequence: 3 };
  const reason = { code: "nonce_gap", severity: "warn", message: "m", sequence: 3 };
  const found = findingsOf([asked as unknown as Step], [reason as never]);
  assert.deepEqual(found, [{ code: "not_checked", severity: "info", message: "n", sequence: 3 }]);
});

it("a step's title is its last transaction's decoded effect", () => {
  const value = { units: "0", shown: "0" };
  const undecoded = { kind: "unknown_call", contract: "0x1", selector: null, bytes: 4, value };
  const transactions = [{ explanation: { effects: [] } }, { explanation: { effects: [undecoded] } }];
  assert.equal(stepWords({ transactions } as unknown as Step), "Call a contract with data that could not be decoded");
});

it("an event belongs to the bundle of its call", () => {
  const status = { bundleId: "b" };
  assert.equal(bundleIn({ event: "tx_status", data: status as never }), "b");
  assert.equal(bundleIn({ event: "vaultModified", data: {} }), undefined);
});
