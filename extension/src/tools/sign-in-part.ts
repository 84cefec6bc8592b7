// Whether a tool is logged in at its service, with the buttons to log in and out.

import { fill, h } from "../popup/element";
import { changeGuarded } from "../popup/guarded-change";
import { t } from "../popup/i18n";
import { problem, whileBusy } from "../popup/parts";
import type { SignIn } from "./sign-in";

export function signInPart(signIn: SignIn): HTMLElement {
  const [notice, state] = [h("div", { class: "notice-slot" }), h("span", { class: "hint", role: "status", "data-testid": "oauth-state" })];
  const connect = h("button", { type: "button", "data-testid": "oauth-connect" }, t("tools_auth_connect"));
  const disconnect = h("button", { type: "button", class: "quiet", hidden: true, "data-testid": "oauth-disconnect" }, t("tools_auth_disconnect"));
  const show = (isSignedIn: boolean): void => {
    connect.hidden = isSignedIn;
    disconnect.hidden = !isSignedIn;
    state.textContent = isSignedIn ? t("tools_auth_connected") : t("tools_auth_not_connected");
  };
  const failed = (error: unknown): void => fill(notice, problem(error));
  connect.addEventListener("click", () => {
    fill(notice);
    const run = async (password?: string): Promise<void> => {
      await whileBusy(connect, t("tools_auth_connecting"), () => signIn.run(password));
      show(true);
      disconnect.focus();
    };
    changeGuarded(notice, run).catch(failed);
  });
  disconnect.addEventListener("click", () => {
    fill(notice);
    const leave = whileBusy(disconnect, t("tools_auth_disconnecting"), () => signIn.leave());
    leave.then(() => {
      show(false);
      connect.focus();
    }, failed);
  });
  // Without a vault there is nothing to say; the log-in itself says why.
  signIn.isSignedIn().then(show, () => {});
  return h("div", { class: "connect" }, h("div", { class: "buttons" }, state, disconnect, connect), notice);
}
