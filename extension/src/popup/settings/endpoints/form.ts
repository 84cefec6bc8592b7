// The nodes of one chain: the preferred one, the others, and the one for receipts.

import type { Endpoint } from "../../../../generated/Endpoint";
import { changeSettings } from "../../api";
import { h } from "../../element";
import { field, lineInput } from "../../field";
import { taskForm } from "../../form";
import { askToReach } from "../reach";

/** Called when the form is closed; says whether anything changed. */
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
  const rpcUrl = lineInput({
    type: "url",
    value: before?.rpcUrl ?? "",
    placeholder: "None",
    "data-testid": "endpoint-rpc-url",
  });

  async function save(password?: string): Promise<void> {
    const endpoint = endpointOf(url.value, others.value, statusUrl.value, rpcUrl.value);
    const addresses = [endpoint.url, ...endpoint.others, endpoint.statusUrl ?? "", endpoint.rpcUrl ?? ""];
    await askToReach(...addresses.filter((address) => address !== ""));
    await changeSettings({ endpoints: { [chain()]: endpoint }, password });
    close(true);
  }

  const form = taskForm({
    name: "Endpoint",
    body: [
      field("Address", url, "https:// anywhere, or http:// on this computer."),
      field(
        "Other nodes",
        others,
        "Optional: up to five addresses, one on each line. They are asked when the first one fails, and what ends a step counts only when two nodes say the same.",
      ),
      field("Node for receipts", statusUrl, "Optional: only if the node cannot report a transaction's outcome."),
      field("JSON-RPC node", rpcUrl, "Optional, for Zcash: a node (zcashd, zebrad) that knows the consensus branch."),
    ],
    submit: ["Save", "Saving…"],
    testId: "endpoint-save",
    errorTestId: "endpoint-error",
    run: save,
    cancel: () => close(false),
  });
  // The core validates, with better messages than the browser's.
  form.noValidate = true;
  return form;
}

/** The typed values as the core expects them. */
export function endpointOf(url: string, others: string, statusUrl: string, rpcUrl = ""): Endpoint {
  const [status, rpc] = [statusUrl.trim(), rpcUrl.trim()];
  return {
    url: url.trim(),
    others: others.split(/\s+/).filter((line) => line !== ""),
    ...(status === "" ? {} : { statusUrl: status }),
    ...(rpc === "" ? {} : { rpcUrl: rpc }),
  };
}
