// The approval of a site's connection.

import { h } from "../popup/element";
import { plain } from "../popup/plain";
import type { Answers } from "../popup/prompt/answers";
import type { Parts } from "./prompt";

const CAN = ["see the addresses of your active vault", "ask you to sign. You are asked each time"];
const CANNOT = ["sign or send anything by itself", "see your password or your keys"];

export function connectionParts(origin: string, answers: Answers): Parts {
  const approve = answers.button({
    words: "Connect",
    approves: true,
    busy: "Connecting…",
    testId: "prompt-approve",
    tone: "primary",
    answer: () => ({ approve: true }),
  });
  const reject = answers.button({
    words: "Do not connect",
    approves: false,
    busy: "Rejecting…",
    testId: "prompt-reject",
    answer: () => ({ approve: false }),
  });
  const body = h(
    "div",
    { class: "asked" },
    h("h1", { tabindex: -1 }, "Connect this site?"),
    h("p", { class: "origin", "data-testid": "prompt-origin" }, plain(origin)),
    h("p", {}, "Check the address letter by letter: a fake site may differ from the real one by a single character."),
    list("It will be able to", CAN, "check"),
    list("It will never be able to", CANNOT, "cross"),
    h("p", { class: "hint" }, "You can disconnect it in Settings at any time."),
  );
  return { body, buttons: h("div", { class: "buttons" }, reject, approve, answers.why) };
}

function list(heading: string, lines: readonly string[], sign: "check" | "cross"): HTMLElement {
  return h(
    "div",
    {},
    h("h2", {}, heading),
    h("ul", { class: "abilities", "data-sign": sign }, ...lines.map((line) => h("li", {}, line))),
  );
}
