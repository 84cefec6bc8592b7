// The request of an HTTP tool: address, headers and body, with placeholders. Also from a curl command.

import { fill, h } from "../../popup/element";
import { choice, field, lineInput } from "../../popup/field";
import { t } from "../../popup/i18n";
import type { FieldErrors } from "../../popup/json/field-error";
import { problem, whileBusy } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { EXAMPLES } from "../examples";
import { draftFromCurl } from "../api";
import { httpOf, type Draft } from "../draft";
import { METHODS, type HttpMethod, type ToolBody } from "../types";
import { isReplaced } from "../warnings";
import { Rows } from "./rows";
import { sectionBox, type Section } from "./section";

type Header = readonly [name: string, value: string];

interface Around {
  /** A template changed: its placeholders may be others. */
  changed(): void;
  /** A curl command was read. */
  pasted(draft: Partial<ToolBody>): void;
}

export class RequestSection implements Section {
  readonly element: HTMLElement;
  readonly #method: HTMLSelectElement;
  readonly #url: HTMLTextAreaElement;
  readonly #body: HTMLTextAreaElement;
  readonly #bodyField: HTMLElement;
  readonly #headers: Rows<Header>;

  constructor(
    errors: FieldErrors,
    private readonly around: Around,
  ) {
    const on = { input: () => around.changed() };
    this.#method = errors.add(
      "/impl/method",
      choice(
        METHODS.map((method) => [method, method] as const),
        { "data-testid": "edit-method", on: { change: () => this.#methodChanged() } },
      ),
    );
    this.#url = errors.add(
      "/impl/urlTemplate",
      h("textarea", { rows: 2, spellcheck: "false", autocapitalize: "off", class: "code", placeholder: EXAMPLES.url, "data-testid": "edit-url", on }),
    );
    this.#body = errors.add("/impl/bodyTemplate", h("textarea", { rows: 4, spellcheck: "false", class: "code", placeholder: EXAMPLES.body, "data-testid": "edit-body", on }));
    this.#bodyField = field(t("tools_body"), this.#body, t("tools_body_hint"));
    this.#headers = new Rows<Header>({
      make: headerRow,
      empty: () => ["", ""],
      words: { add: t("tools_header_add"), remove: (number) => t("tools_header_remove", number) },
      testId: "edit-header",
      changed: () => around.changed(),
    });
    this.element = sectionBox(
      t("tools_part_request"),
      this.#curl(),
      h(
        "div",
        { class: "request-line" },
        field(t("tools_method"), this.#method),
        field(t("tools_url"), this.#url, t("tools_url_hint", "${city}", "${API_KEY}")),
      ),
      errors.add("/impl/headers", h("fieldset", { tabindex: -1 }, h("legend", {}, t("tools_headers")), this.#headers.element)),
      this.#bodyField,
    );
  }

  get url(): string {
    return this.#url.value.trim();
  }

  focus(): void {
    this.#url.focus();
  }

  show({ impl }: Draft): void {
    const { method, urlTemplate, headers, bodyTemplate } = httpOf(impl);
    this.#method.value = method;
    this.#url.value = urlTemplate;
    this.#body.value = bodyTemplate;
    this.#headers.show(Object.entries(headers));
    this.#showBody();
  }

  read(draft: Draft): boolean {
    const headers = this.#headers.read().filter(([name]) => name !== "");
    draft.impl = {
      ...draft.impl,
      method: this.#method.value as HttpMethod,
      urlTemplate: this.url,
      headers: Object.fromEntries(headers),
      bodyTemplate: this.#hasBody ? this.#body.value : "",
    };
    return true;
  }

  get #hasBody(): boolean {
    return this.#method.value !== "GET" && this.#method.value !== "HEAD";
  }

  #methodChanged(): void {
    this.#showBody();
    this.around.changed();
  }

  #showBody(): void {
    this.#bodyField.hidden = !this.#hasBody;
  }

  #curl(): HTMLElement {
    const text = h("textarea", { rows: 3, spellcheck: "false", class: "code", placeholder: EXAMPLES.curl, "data-testid": "edit-curl" });
    const notice = h("div", { class: "notice-slot" });
    const take = h("button", { type: "button", "data-testid": "edit-curl-take" }, t("tools_curl_take"));
    const details = h("details", { class: "curl" });
    const left = h("ul", { class: "hint notes", role: "status", "data-testid": "edit-curl-notes" });
    take.addEventListener("click", () => {
      fill(notice);
      const work = async (): Promise<void> => {
        const { notes = [], ...tool } = await draftFromCurl(text.value);
        this.around.pasted(tool);
        fill(left, ...notes.map((note) => h("li", {}, plain(note))));
        details.open = false;
        this.#url.focus();
      };
      whileBusy(take, t("tools_reading"), work).catch((error: unknown) => fill(notice, problem(error)));
    });
    fill(
      details,
      h("summary", { "data-testid": "edit-curl-open" }, t("tools_curl")),
      field(t("tools_curl_label"), text, t("tools_curl_hint")),
      notice,
      h("div", { class: "buttons" }, take),
    );
    return h("div", {}, details, left);
  }
}

function headerRow([name, value]: Header, changed: () => void): { element: HTMLElement; read: () => Header; focus: () => void } {
  const note = h("span", { class: "hint header-note", role: "status", "data-testid": "edit-header-note" });
  const show = (): void => {
    const typed = nameInput.value.trim();
    note.textContent = isReplaced(typed) ? t("tools_header_not_sent", plain(typed)) : "";
  };
  const on = {
    input: () => {
      show();
      changed();
    },
  };
  const nameInput = lineInput({ value: name, placeholder: EXAMPLES.headerName, "aria-label": t("tools_header_name"), "data-testid": "edit-header-name", on });
  const valueInput = lineInput({ value, placeholder: EXAMPLES.headerValue, "aria-label": t("tools_header_value"), "data-testid": "edit-header-value", on });
  show();
  return {
    element: h("div", { class: "header-row" }, nameInput, valueInput, note),
    read: () => [nameInput.value.trim(), valueInput.value],
    focus: () => nameInput.focus(),
  };
}
