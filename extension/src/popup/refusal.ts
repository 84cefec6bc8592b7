// Shows why a request was refused, with a countdown if the core requires a delay before the next attempt.

import { fill, h } from "./element";
import { explain } from "./errors";
import { plural, t } from "./i18n";
import { RequestError } from "./request";

const TICK_MILLIS = 250;

/** Shows the error in `slot`, and disables `button` while another attempt would be refused. */
export function refuse(slot: HTMLElement, button: HTMLButtonElement, error: unknown, testId = "problem"): void {
  const words = h("span", {}, explain(error));
  fill(slot, h("div", { class: "problem", role: "alert", "data-testid": testId }, words));
  const pause = error instanceof RequestError ? error.retryAfterMillis : undefined;
  if (pause === undefined) return;
  const left = h("b", { class: "countdown", "aria-hidden": "true" });
  words.after(left);
  countDown(pause, left, () => {
    button.disabled = false;
    if (slot.contains(words)) fill(slot, h("p", { class: "hint", role: "status" }, t("common_again_now")));
  });
  button.disabled = true;
}

function countDown(millis: number, shown: HTMLElement, over: () => void): void {
  const end = performance.now() + millis;
  const tick = (): void => {
    const left = end - performance.now();
    if (left <= 0) return over();
    const seconds = Math.ceil(left / 1000);
    shown.textContent = t(plural(seconds, "common_again_in_one", "common_again_in_other"), seconds);
    setTimeout(tick, Math.min(left, TICK_MILLIS));
  };
  tick();
}
