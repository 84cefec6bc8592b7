// The nodes of one chain: the first choice, those that stand in for it, and where receipts are asked for.

import type { Endpoint } from "../../../../generated/Endpoint";
import { changeSettings } from "../../api";
import { h } from "../../element";
import { field, lineInput } from "../../field";
import { taskForm } from "../../form";
import { askToReach } from "../reach";

/** Called when the form is done with; says whether anything changed. */
export type Close = (changed: boolean) => void;

export function endpointForm(chain: () => string, before: Endpoint | undefined, close: Close): HTMLFormElement {
  const url = lineInput({
    type: "url",
    required: true,
    value: before?.url ?? "",
    placeholder: "https://node.example",
    "data-testid": "endpoint-url",
  });
  const others = h("textarea", {
    rows: 2,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    "data-testid": "endpoint-others",
  });
  others.value = before?.others.join("\n") ?? "";
  const statusUrl = lineInput({
    type: "url",
    value: before?.statusUrl ?? "",
    placeholder: "The same",
    "data-testid": "endpoint-status-url",
  });

  async function save(): Promise<void> {
    const endpoint = endpointOf(url.value, others.value, statusUrl.value);
    await askToReach(endpoint.url, ...endpoint.others, ...(endpoint.statusUrl === undefined ? [] : [endpoint.statusUrl]));
    await changeSettings({ endpoints: { [chain()]: endpoint } });
    close(true);
  }

  const form = taskForm({
    name: "Endpoint",
    body: [
      field("Address", url, "https:// anywhere, or http:// on this computer."),
      field("If it fails, ask", others, "Optional: up to five addresses, one on each line."),
      field("Ask for receipts at", statusUrl, "Optional: only where the node does not know what became of a transaction."),
    ],
    submit: ["Save", "Saving…"],
    testId: "endpoint-save",
    errorTestId: "endpoint-error",
    run: save,
    cancel: () => close(false),
  });
  // The core's words are better than the browser's, and it has the last one anyway.
  form.noValidate = true;
  return form;
}

/** What was typed, as the core wants it. */
export function endpointOf(url: string, others: string, statusUrl: string): Endpoint {
  const status = statusUrl.trim();
  return {
    url: url.trim(),
    others: others.split(/\s+/).filter((line) => line !== ""),
    ...(status === "" ? {} : { statusUrl: status }),
  };
}
