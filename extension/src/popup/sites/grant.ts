// What a site is granted: chains, and for how long.

import { t } from "../i18n";

/** Days, or until the user disconnects the site. */
export const SPANS: readonly (readonly [value: string, words: string])[] = [
  ["1", t("sites_for_a_day")],
  ["7", t("sites_for_a_week")],
  ["30", t("sites_for_a_month")],
  ["", t("sites_until_disconnected")],
];

export const USUAL_SPAN = "30";

/** `null`: without an end. */
export const daysOf = (value: string): number | null => (value === "" ? null : Number(value));
