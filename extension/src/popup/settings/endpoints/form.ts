// The nodes of one chain: the preferred one, the others, and the one for receipts.

import type { Endpoint } from "../../../../generated/Endpoint";
import { changeSettings } from "../../api";
import { h } from "../../element";
import { field, lineInput } from "../../field";
import { taskForm } from "../../form";
import { t } from "../../i18n";
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
    placeholder: t("settings_endpoint_same"),
    "data-testid": "endpoint-status-url",
  });
  const rpcUrl = lineInput({
    type: "url",
    value: before?.rpcUrl ?? "",
    placeholder: t("settings_endpoint_no_rpc"),
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
    name: t("settings_endpoint"),
    body: [
      field(t("settings_address"), url, t("settings_address_hint")),
      field(t("settings_endpoint_others"), others, t("settings_endpoint_others_hint")),
      field(t("settings_endpoint_status"), statusUrl, t("settings_endpoint_status_hint")),
      field(t("settings_endpoint_rpc"), rpcUrl, t("settings_endpoint_rpc_hint")),
    ],
    submit: [t("settings_save"), t("settings_saving")],
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
