// The stages of a trial run: what went out, each attempt, the answer, the extraction, the check, the result.

import { h, type Child } from "../../popup/element";
import { sentenceOf } from "../../popup/errors";
import { t } from "../../popup/i18n";
import { jsonPath, jsonPathOfAll, type Segment } from "../../popup/json/path";
import { valueTree } from "../../popup/json/tree";
import { valueView } from "../../popup/json/value-view";
import { plain } from "../../popup/plain";
import type { SentRequest, Trial } from "../types";
import { isReplaced, warningWords } from "../warnings";

/** Called with the JSONPath of a picked value; the second one is for every entry of its list. */
export type Picked = (path: string, all: string | undefined) => void;

export function stages(trial: Trial, picked?: Picked): HTMLElement {
  const { request, attempts, response, validation, result } = trial;
  const warnings = warningWords(trial.warnings).map((words) => h("p", { class: "notice", "data-testid": "trial-warning" }, words));
  return h(
    "ol",
    { class: "stages", "data-testid": "trial" },
    stage(t("tools_stage_request"), "request", request ? sent(request) : nothing(t("tools_stage_not_sent")), ...warnings),
    attempts.length > 0 && stage(t("tools_stage_attempts"), "attempts", attemptList(attempts)),
    response !== null && stage(t("tools_stage_answer"), "answer", answer(response, picked)),
    isPart(trial) && stage(t("tools_stage_extracted"), "extracted", valueView(trial.extracted)),
    response !== null && stage(t("tools_stage_check"), "check", check(validation)),
    stage(
      t("tools_stage_result"),
      "result",
      result.ok
        ? h("p", { class: "trial-good" }, t("tools_test_good"))
        : h("p", { class: "problem" }, sentenceOf(plain(result.error))),
    ),
  );
}

/** Whether something was taken out of the answer. */
function isPart({ extracted, response }: Trial): boolean {
  return extracted !== undefined && JSON.stringify(extracted) !== JSON.stringify(parsed(response?.body ?? "")?.json);
}

function stage(title: string, name: string, ...body: readonly Child[]): HTMLElement {
  return h("li", { class: "stage-item", "data-stage": name, "data-testid": `trial-${name}` }, h("h4", {}, title), ...body);
}

const nothing = (words: string): HTMLElement => h("p", { class: "muted" }, words);

/** A request as it goes out, with the values of secrets masked. */
export function sent({ method, url, headers, body }: SentRequest): HTMLElement {
  // The browser sends its own: what the tool says is not what goes out.
  const own = Object.entries(headers).filter(([name]) => !isReplaced(name));
  const lines = own.map(([name, value]) => `${name}: ${value}`);
  return h(
    "div",
    { class: "sent" },
    h("p", { class: "sent-line" }, h("b", {}, plain(method)), " ", h("code", {}, plain(url))),
    lines.length > 0 && h("pre", {}, plain(lines.join("\n"))),
    body !== null && body !== "" && h("pre", {}, plain(body)),
  );
}

function attemptList(attempts: Trial["attempts"]): HTMLElement {
  return h(
    "ul",
    { class: "attempts" },
    ...attempts.map(({ status, error, millis }, i) =>
      h(
        "li",
        { "data-good": String(status !== undefined && status < 400) },
        h("span", { class: "muted" }, t("tools_attempt", i + 1)),
        h("b", {}, status === undefined ? plain(error ?? "") : String(status)),
        h("span", { class: "muted" }, t("tools_millis", Math.round(millis))),
      ),
    ),
  );
}

function answer({ status, contentType, body }: NonNullable<Trial["response"]>, picked?: Picked): HTMLElement {
  const value = parsed(body);
  const pick = picked && ((path: readonly Segment[]): void => picked(jsonPath(path), jsonPathOfAll(path)));
  return h(
    "div",
    { class: "answer" },
    h("p", { class: "muted small" }, contentType === null ? String(status) : `${status} · ${plain(contentType)}`),
    value !== undefined && pick && h("p", { class: "hint" }, t("tools_pick_hint")),
    value === undefined ? h("pre", {}, plain(body)) : valueTree(value.json, pick),
  );
}

/** Only objects and lists have something to pick. */
function parsed(body: string): { json: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === "object" && json !== null ? { json } : undefined;
  } catch {
    return undefined;
  }
}

function check(validation: Trial["validation"]): HTMLElement {
  if (validation.length === 0) return h("p", { class: "trial-good" }, t("tools_check_good"));
  return h(
    "ul",
    { class: "misfits" },
    ...validation.map(({ path, message }) => h("li", {}, h("code", {}, plain(path) || "/"), " ", plain(message))),
  );
}
