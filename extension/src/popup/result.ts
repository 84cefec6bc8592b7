// The data of a tool's result, or its error as an exception.

import type { ActionResult } from "../../generated/ActionResult";
import type { Rows } from "../../generated/Rows";
import { RequestError } from "./request";

/** The row's error is more specific than the result's. */
export function onlyRow<R extends { success: boolean; error: string | null }>(result: ActionResult): void {
  const row = (result.data as Rows<R> | undefined)?.results[0];
  if (row && !row.success) throw resultError(row.error ?? "failed");
  outputOf(result);
}

export function outputOf<Output>(result: ActionResult): Output {
  if (!result.success) throw resultError(result.error ?? "failed");
  return result.data as Output;
}

function resultError(error: string): RequestError {
  const [code = "", ...rest] = error.split(": ");
  return new RequestError(200, code, rest.join(": "));
}
