// The policy's verdict on a bundle. No known peer has a comparable function.

import { Judge } from "../../generated/harness/harness.js";
import type { Verdict } from "../../generated";
import { same, timed, type Millis } from "./statistics";

export interface Judging {
  steps: number;
  limits: number;
  payees: number;
  contacts: number;
  ours: Millis[];
}

const LIMITS = 20;
const PAYEES = 200;
const CONTACTS = 1_000;

/** Repeated, because the clock is coarse. */
const REPEAT = 100;
const WARM_UP = 3;

export async function measurePolicy(rounds: number): Promise<Judging> {
  const judge = new Judge(LIMITS, PAYEES, CONTACTS);
  // Every rule is evaluated and none matches: nothing ends early.
  const verdict = JSON.parse(judge.verdict()) as Verdict;
  const reasons = verdict.name === "ask" ? verdict.reasons.map(({ code }) => code) : [];
  same("verdicts", [verdict.name, ...reasons], ["ask", "signing"]);

  const judging: Judging = { steps: judge.steps, limits: LIMITS, payees: PAYEES, contacts: CONTACTS, ours: [] };
  for (let round = -WARM_UP; round < rounds; round++) {
    const [time] = await timed(() => {
      for (let count = 0; count < REPEAT; count++) judge.judge();
    });
    if (round >= 0) judging.ours.push(time / REPEAT);
  }
  judge.free();
  return judging;
}
