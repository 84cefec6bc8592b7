// The entries of a call, each with its result.

import type { Call } from "../../../generated/Call";
import { rowsOf, type Row } from "../describe";
import { h } from "../element";
import { shortAddress } from "../format";
import { t } from "../i18n";
import { plain } from "../plain";

const ROWS_SHOWN = 5;

/** Before a decision every character is shown (`full`); afterwards both ends are enough. */
export function entryList(call: Call, full: boolean): HTMLElement | undefined {
  const rows = rowsOf(call);
  if (rows.length === 0) return undefined;
  const shown = full ? rows : rows.slice(0, ROWS_SHOWN);
  const hidden = rows.length - shown.length;
  return h(
    "ul",
    { class: "entries" },
    ...shown.map((row) => entry(row, full)),
    hidden > 0 && h("li", { class: "muted" }, t("agent_and_more", hidden)),
  );
}

function entry(row: Row, full: boolean): HTMLElement {
  const address = plain(row.address);
  return h(
    "li",
    { class: row.error === undefined ? undefined : "entry-failed" },
    row.title !== "" && h("span", { class: "entry-title" }, plain(row.title)),
    row.chain !== "" && h("span", { class: "chain" }, plain(row.chain)),
    address !== "" &&
      h(
        "span",
        { class: full ? "address full" : "address", title: address },
        full ? address : shortAddress(address),
      ),
    row.error !== undefined && h("span", { class: "entry-error" }, plain(row.error)),
  );
}
