// When the agent may skip the approval, and how long a vault stays unlocked.

import type { Settings } from "../../../generated/Settings";
import type { SkipApproval } from "../../../generated/SkipApproval";
import { changeSettings } from "../api";
import { h } from "../element";
import { choice, field } from "../field";
import { taskForm } from "../form";

const SKIP_WORDS: Record<SkipApproval, readonly [words: string, meaning: string]> = {
  confirmed: [
    "Only for transactions I just approved",
    "If you approved exactly the same transactions in the last ten minutes, you are not asked to approve them again.",
  ],
  always: [
    "Whenever the agent asks to",
    "You do not see the transactions before they are signed, unless a risk is found. You still type the password.",
  ],
  never: ["Never, always ask me", "You see and approve every bundle of transactions, every time."],
};

const LONGEST_MINUTES = 1440;

export function signingForm({ skipApproval, autoLockMinutes }: Settings): HTMLElement {
  const values = Object.keys(SKIP_WORDS) as SkipApproval[];
  const skip = choice(
    values.map((value) => [value, SKIP_WORDS[value][0]] as const),
    { "data-testid": "settings-skip-approval" },
  );
  skip.value = skipApproval;
  const chosen = (): SkipApproval => values.find((value) => value === skip.value) ?? "never";
  const meaning = h("span", { role: "status" });
  const explain = (): void => void (meaning.textContent = SKIP_WORDS[chosen()][1]);
  skip.addEventListener("change", explain);
  explain();
  const minutes = h("input", {
    type: "number",
    min: 1,
    max: LONGEST_MINUTES,
    step: 1,
    required: true,
    value: autoLockMinutes,
    "data-testid": "settings-auto-lock",
  });
  const form = taskForm({
    name: "Signing",
    body: [
      field("May the agent skip my approval?", skip, meaning),
      field("Minutes until an unlocked vault locks", minutes, "From 1 minute to 1440, which is a day."),
    ],
    submit: ["Save", "Saving…"],
    testId: "settings-signing-save",
    done: "Saved",
    async run(password) {
      await changeSettings({ skipApproval: chosen(), autoLockMinutes: minutes.valueAsNumber, password });
    },
  });
  return h("section", { class: "panel", "aria-label": "Signing" }, h("h2", {}, "Signing"), form);
}
