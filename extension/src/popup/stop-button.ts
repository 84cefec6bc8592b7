// Stops a running call. What was already sent is not undone.

import type { Call } from "../../generated/Call";
import { cancelCall } from "./api";
import { isBundle } from "./describe";
import { fill, h, icon } from "./element";
import { t } from "./i18n";
import { problem, whileBusy } from "./parts";

/** Nothing unless the call runs. Transactions have their own button. */
export function stopButton(call: Call): HTMLElement | undefined {
  const isRunning = call.state.name === "received" || call.state.name === "approved";
  if (!isRunning || isBundle(call)) return undefined;
  const notice = h("div", { class: "notice-slot" });
  const button = h("button", { type: "button", class: "quiet", "data-testid": "call-stop" }, icon("stop"), t("tools_stop"));
  button.addEventListener("click", () => {
    fill(notice);
    whileBusy(button, t("tools_stopping"), () => cancelCall(call.id)).catch((error: unknown) => fill(notice, problem(error)));
  });
  return h("div", { class: "stop-call" }, notice, h("div", { class: "buttons" }, button));
}
