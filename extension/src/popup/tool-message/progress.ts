// How far something is: `{title?, value, total?}`; also what a running tool says of itself.

import type { Progress } from "../../../generated/Progress";
import { h } from "../element";
import { LOCALE, t } from "../i18n";
import { plain } from "../plain";
import { numberIn, textIn, type Component, type Fields } from "./component";

export interface Share {
  /** Between 0 and 1; absent if the whole is not known. */
  readonly share: number | undefined;
  /** "3 of 10", or a number without a whole. */
  readonly amount: string;
}

const PERCENT = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 0 });
const NUMBER = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });

/** Without a whole, a value up to 1 is a share and a larger one a percentage. */
export function shareIn(input: Fields): Share | undefined {
  const value = numberIn(input, "value", "progress", "done", "current", "percent");
  if (value === undefined) return undefined;
  const total = numberIn(input, "total", "max", "of");
  if (total !== undefined && total > 0) return shareOf(value, total);
  const share = clamp(value <= 1 && input["percent"] === undefined ? value : value / 100);
  return { share, amount: PERCENT.format(share) };
}

/** What a tool said of its progress; without a whole, only how much is done is known. */
export function shareOf(done: number, total: number | undefined): Share {
  if (total === undefined || total <= 0) return { share: undefined, amount: NUMBER.format(done) };
  return { share: clamp(done / total), amount: t("message_progress_of", NUMBER.format(done), NUMBER.format(total)) };
}

const clamp = (share: number): number => Math.min(Math.max(share, 0), 1);

export function progressBar({ share, amount }: Share, words: string): HTMLElement {
  const value = share === undefined ? {} : { value: share, max: 1 };
  return h(
    "div",
    { class: "tool-progress", "data-testid": "tool-progress" },
    h("span", { class: "tool-progress-words" }, words, h("span", { class: "muted" }, amount)),
    h("progress", { ...value, "aria-label": words, "aria-valuetext": amount }),
  );
}

/** The bar of a call that is running. */
export function callProgress({ done, total, message }: Progress): HTMLElement {
  return progressBar(shareOf(Number(done), total === undefined ? undefined : Number(total)), plain(message ?? t("message_progress")));
}

export const progress: Component = ({ input }) => {
  const share = shareIn(input);
  if (!share) return undefined;
  const words = textIn(input, "title", "label", "message") ?? t("message_progress");
  const more = textIn(input, "description", "detail", "status");
  return h("div", { class: "tool-component" }, progressBar(share, words), more !== undefined && h("p", { class: "hint" }, more));
};
