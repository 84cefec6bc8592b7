// What a registry's descriptor (ERC-7730) says of a transaction or a message: the words of others, shown below what the
// bytes do and quoted, with a table of what does not agree. Whether it agrees is not decided here.

import type { DescribedPart } from "../../../generated/DescribedPart";
import type { Description } from "../../../generated/Description";
import type { DescriptorContradiction } from "../../../generated/DescriptorContradiction";
import type { RenderedField } from "../../../generated/RenderedField";
import type { Rendering } from "../../../generated/Rendering";
import { h, type Child } from "../element";
import { sentenceOf } from "../errors";
import { t } from "../i18n";
import { plain } from "../plain";

const PARTS: Record<DescribedPart, string> = {
  amount: t("descriptors_amount"),
  recipient: t("descriptors_recipient"),
  spender: t("descriptors_spender"),
  token: t("descriptors_token"),
};

/** Nothing where no descriptor speaks of it. */
export function descriptionPart(description: Description | null | undefined): HTMLElement | undefined {
  if (description === null || description === undefined) return undefined;
  const { pack, digest, file, outcome, rendering, diagnostics, contradictions } = description;
  const hint = rendering === null ? "descriptors_block_failure" : "descriptors_block_hint";
  return h(
    "div",
    { class: "claims described", "data-testid": "bundle-description", "data-outcome": outcome },
    h("h4", { title: `${file} · ${digest}` }, `${t("descriptors_block")}:`),
    contradictionTable(contradictions),
    rendering !== null && renderingPart(rendering),
    ...diagnostics.map(({ code, message }) =>
      h("p", { class: "hint", "data-testid": "description-diagnostic", "data-code": code }, sentenceOf(`${code}: ${message}`)),
    ),
    h("p", { class: "hint" }, t(hint, plain(pack))),
  );
}

function renderingPart({ intent, sentence, owner, contractName, fields }: Rendering): HTMLElement {
  const whose = [owner, contractName].filter((name) => name !== null && name !== "").join(" · ");
  return h(
    "dl",
    { class: "facts" },
    ...line(t("descriptors_intent"), quoted(sentence ?? intent)),
    ...(whose === "" ? [] : line(t("descriptors_owner"), quoted(whose))),
    ...fields.flatMap(fieldLine),
  );
}

function fieldLine({ label, value, call }: RenderedField): Child[] {
  // A label is quoted too: it could otherwise pass for one of the wallet's own.
  return [h("dt", {}, quoted(label)), h("dd", {}, call === null ? quoted(value) : renderingPart(call))];
}

const line = (name: string, value: Child): Child[] => [h("dt", {}, name), h("dd", {}, value)];

const quoted = (text: string): HTMLElement => h("q", {}, plain(text));

function contradictionTable(contradictions: readonly DescriptorContradiction[]): HTMLElement | undefined {
  if (contradictions.length === 0) return undefined;
  const row = ({ about, described, actual }: DescriptorContradiction): HTMLElement =>
    h(
      "tr",
      { "data-testid": "description-contradiction", "data-about": about },
      h("th", { scope: "row" }, PARTS[about]),
      h("td", {}, described === null ? t("descriptors_left_out") : quoted(described)),
      h("td", {}, plain(actual)),
    );
  return h(
    "table",
    { class: "contradictions" },
    h("caption", {}, t("descriptors_differs")),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        h("th", { scope: "col" }, t("descriptors_says")),
        h("th", { scope: "col" }, t("bundle_transaction_does")),
      ),
    ),
    h("tbody", {}, ...contradictions.map(row)),
  );
}
