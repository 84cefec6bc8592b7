// What a call will send, to which host and with which secrets, for the question before it.

import type { Call } from "../../generated/Call";
import type { Preview } from "../../generated/Preview";
import { sent } from "../tools/tester/stages";
import { h, type Child } from "./element";
import { plural, t, tParts } from "./i18n";
import { plain } from "./plain";

/** Nothing for a call that sends nothing. */
export function previewPart(call: Call): HTMLElement | undefined {
  const { preview } = call;
  if (!preview) return undefined;
  return h("section", { class: "preview", "aria-label": t("tools_preview"), "data-testid": "call-preview" }, ...parts(preview));
}

function parts(preview: Preview): Child[] {
  const { steps } = preview;
  // A function of the wallet: nothing leaves it.
  if (preview.host === "" && steps.length === 0) return [h("p", {}, h("code", {}, plain(preview.tool)))];
  if (steps.length > 0) {
    const list = steps.map((step) => h("li", { "data-testid": "preview-step" }, ...parts(step)));
    return [h("p", {}, t("tools_preview_steps")), h("ol", { class: "preview-steps" }, ...list)];
  }
  return [
    h("p", { class: "preview-host" }, ...tParts("tools_preview_host", h("b", { "data-testid": "preview-host" }, plain(preview.host)))),
    sent(preview),
    preview.secrets.length > 0 &&
      h("p", { class: "preview-secrets", "data-testid": "preview-secrets" }, ...tParts(plural(preview.secrets.length, "tools_preview_secrets_one", "tools_preview_secrets_other"), names(preview.secrets))),
  ];
}

const names = (secrets: readonly string[]): HTMLElement =>
  h("span", {}, ...secrets.flatMap((name, i) => [i > 0 && ", ", h("code", {}, plain(name))]));
