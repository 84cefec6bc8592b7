// The editor: a new tool, or a new version of one. Beside it the tester.

import type { SecretView } from "../../../generated/SecretView";
import { fill, h } from "../../popup/element";
import { explain } from "../../popup/errors";
import { choice, field } from "../../popup/field";
import { pretty } from "../../popup/format";
import { t } from "../../popup/i18n";
import { FieldErrors } from "../../popup/json/field-error";
import { whileBusy } from "../../popup/parts";
import { needsPassword, PasswordGate } from "../../popup/password-gate";
import { plain } from "../../popup/plain";
import { refuse } from "../../popup/refusal";
import { RequestError } from "../../popup/request";
import { getSecrets, putBundle, putTool } from "../api";
import { bodyOf, httpOf, keyOf, type Draft } from "../draft";
import { slugOf } from "../names";
import { placeholdersIn, type Placeholders } from "../placeholders";
import { signInOf } from "../sign-in";
import { Tester } from "../tester/tester";
import type { Bundle, Tool, ToolBody, ToolType } from "../types";
import { uuidv7 } from "../uuid";
import { warningWords } from "../warnings";
import { typeWords } from "../words";
import { AdvancedSection } from "./advanced-section";
import { AnswerSection } from "./answer-section";
import { CareSection } from "./care-section";
import { HostConsent } from "./host-consent";
import { IdentitySection, NEW_BUNDLE } from "./identity";
import { ImplSection } from "./impl-section";
import { NeedsSection } from "./needs-section";
import { RequestSection } from "./request-section";
import type { Section } from "./section";
import { StepsSection } from "./steps-section";

export interface EditorStart {
  readonly draft: Draft;
  /** The tool of which this is a new version. */
  readonly before: Tool | undefined;
  readonly bundles: readonly Bundle[];
  readonly secrets: readonly SecretView[];
  readonly allowedHosts: readonly string[];
}

interface Around {
  /** `notes`: what the user should know about it. */
  saved(tool: Tool, notes: readonly string[]): void;
  cancelled(): void;
}

/** The types that have forms; of any other the block `impl` is JSON text. */
const FORMS: readonly ToolType[] = ["http", "steps"];

export class Editor {
  readonly element: HTMLElement;
  readonly #errors = new FieldErrors();
  readonly #identity: IdentitySection;
  readonly #request: RequestSection;
  readonly #needs: NeedsSection;
  readonly #answer: AnswerSection;
  readonly #care: CareSection;
  readonly #advanced: AdvancedSection;
  readonly #steps: StepsSection;
  readonly #impl: ImplSection;
  readonly #type: HTMLSelectElement;
  readonly #sections = h("div", { class: "editor-sections" });
  readonly #tester: Tester;
  readonly #host: HostConsent;
  readonly #gate = new PasswordGate();
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #save: HTMLButtonElement;
  readonly #raw = h("pre", { "data-testid": "edit-record" });
  #isChanged = false;
  /** The bundle that was made for this tool by an earlier press. */
  #madeBundle: string | undefined;

  constructor(
    private readonly start: EditorStart,
    private readonly around: Around,
  ) {
    const { before, bundles, secrets, allowedHosts, draft } = start;
    const changed = (): void => this.#changed();
    this.#host = new HostConsent(allowedHosts);
    this.#identity = new IdentitySection(bundles, before !== undefined, this.#errors);
    this.#request = new RequestSection(this.#errors, { changed, pasted: (pasted) => this.#pasted(pasted) });
    this.#needs = new NeedsSection(this.#errors, secrets, { changed, savedSecret: getSecrets });
    this.#answer = new AnswerSection(this.#errors, () => this.#tester.sample);
    this.#care = new CareSection(this.#errors);
    this.#advanced = new AdvancedSection(this.#errors, { changed, connect: before && signInOf(before) });
    // Only one of the three is shown, and its controls are the ones that errors are shown at.
    this.#steps = new StepsSection(this.#errors, changed);
    this.#impl = new ImplSection(this.#errors, draft.type);
    this.#tester = new Tester({
      draft: () => this.#read(),
      picked: (path, all) => this.#answer.pick(path, all),
      allow: async (password) => {
        await this.#host.allow(password);
        await this.#host.reach();
      },
      wrong: (error) => this.#wrong(error, "/tool"),
    });
    const types: ToolType[] = FORMS.includes(draft.type) ? [...FORMS] : [draft.type];
    this.#type = choice(
      types.map((type) => [type, typeWords(type)] as const),
      { "data-testid": "edit-type", on: { change: () => this.#typeChanged() } },
    );
    this.#type.value = draft.type;
    this.#save = h("button", { type: "button", class: "primary", "data-testid": "edit-save" }, before ? t("tools_save_version") : t("tools_save"));
    this.#save.addEventListener("click", () => void this.#press());
    this.element = this.#layout();
    this.element.addEventListener("input", () => (this.#isChanged = true));
    this.#show(draft);
  }

  /** Whether something was typed. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  focus(): void {
    if (this.start.before) this.#request.focus();
    else this.#identity.focus();
  }

  #layout(): HTMLElement {
    const { before } = this.start;
    const title = before ? t("tools_edit_title", plain(before.displayName)) : t("tools_new_title");
    const cancel = h("button", { type: "button", class: "quiet", "data-testid": "edit-cancel", on: { click: () => this.around.cancelled() } }, t("common_cancel"));
    const raw = h("details", { class: "raw" }, h("summary", {}, t("tools_as_json")), this.#raw);
    raw.addEventListener("toggle", () => {
      const draft = raw.open ? this.#read() : undefined;
      if (draft) this.#raw.textContent = plain(pretty(draft));
    });
    const gateKeys = (event: KeyboardEvent): void => {
      if (event.key === "Enter") void this.#press();
    };
    this.#gate.element.addEventListener("keydown", gateKeys);
    return h(
      "div",
      { class: "editor", "data-testid": "tool-editor" },
      h("div", { class: "title-row" }, h("h1", { tabindex: -1 }, title), cancel),
      before && h("p", { class: "hint" }, t("tools_edit_hint")),
      h(
        "div",
        { class: "editor-columns" },
        h(
          "div",
          { class: "editor-sections" },
          this.#identity.element,
          h("div", { class: "panel editor-section" }, field(t("tools_type"), this.#type, t("tools_type_hint"))),
          this.#sections,
          raw,
          h(
            "div",
            { class: "panel editor-end" },
            this.#host.element,
            this.#gate.element,
            this.#notice,
            h("div", { class: "buttons" }, this.#save),
          ),
        ),
        h("div", { class: "panel editor-tester" }, this.#tester.element),
      ),
    );
  }

  #show(draft: Draft): void {
    const shown: Section[] = [this.#identity, this.#request, this.#needs, this.#answer, this.#care, this.#advanced, this.#steps, this.#impl];
    for (const section of shown) section.show(draft);
    this.#needs.settle(this.#placeholders());
    this.#showType();
    this.#changed();
  }

  get #isHttp(): boolean {
    return this.#type.value === "http";
  }

  get #shown(): Section[] {
    if (this.#isHttp) return [this.#identity, this.#request, this.#needs, this.#answer, this.#care, this.#advanced];
    return [this.#identity, this.#type.value === "steps" ? this.#steps : this.#impl, this.#care];
  }

  #typeChanged(): void {
    this.#showType();
    this.#changed();
  }

  #showType(): void {
    fill(this.#sections, ...this.#shown.slice(1).map(({ element }) => element));
    this.#host.element.hidden = !this.#isHttp;
  }

  /** Everything that follows from the templates. */
  #changed(): void {
    if (this.#isHttp) {
      this.#needs.fit(this.#placeholders());
      this.#host.fit(this.#request.url);
    }
    const schema = this.#isHttp ? this.#needs.schema : this.#steps.schema;
    if (schema !== undefined) this.#tester.fit(schema);
  }

  #placeholders(): Placeholders {
    const draft: Draft = { ...this.start.draft, impl: {} };
    this.#request.read(draft);
    const { urlTemplate, headers, bodyTemplate } = httpOf(draft.impl);
    return placeholdersIn(urlTemplate, ...Object.values(headers), bodyTemplate, ...this.#advanced.auth.templates);
  }

  /** A curl command says what is sent; what was typed about the tool itself stays. */
  #pasted(pasted: Partial<ToolBody>): void {
    const draft: Draft = { ...this.start.draft };
    this.#identity.read(draft);
    const impl = { ...httpOf(draft.impl), ...pasted.impl };
    const argSchema = pasted.argSchema ?? draft.argSchema;
    this.#request.show({ ...draft, impl });
    this.#advanced.show({ ...draft, impl });
    this.#answer.show({ ...draft, impl });
    this.#needs.show({ ...draft, argSchema });
    if (draft.displayName === "" && pasted.displayName) {
      this.#identity.show({ ...draft, displayName: pasted.displayName, slug: slugOf(pasted.displayName), description: draft.description || (pasted.description ?? "") });
    }
    this.#changed();
  }

  /** The draft as typed; nothing if a field cannot be read. */
  #read(): Draft | undefined {
    this.#errors.clear();
    const draft: Draft = { ...this.start.draft, ...bodyOf(this.start.draft), type: this.#type.value as ToolType };
    const results = this.#shown.map((section) => section.read(draft));
    return results.every(Boolean) ? draft : undefined;
  }

  async #press(): Promise<void> {
    fill(this.#notice);
    const draft = this.#read();
    if (!draft || !this.#isComplete(draft)) return;
    try {
      await whileBusy(this.#save, t("tools_saving"), () => this.#store(draft));
    } catch (error) {
      if (needsPassword(error)) return this.#gate.ask(error);
      if (this.#wrong(error, "")) return;
      refuse(this.#notice, this.#save, error, "edit-error");
      this.#gate.again();
    }
  }

  /** The first field that is empty and must not be. */
  #isComplete(draft: Draft): boolean {
    const needed: (readonly [pointer: string, value: string])[] = [
      ["/displayName", draft.displayName],
      ["/slug", draft.slug],
      ["/version", draft.version],
      ...(this.#isHttp ? [["/impl/urlTemplate", httpOf(draft.impl).urlTemplate] as const] : []),
      ...(draft.bundleID === NEW_BUNDLE ? [["/bundle", this.#identity.newBundleName] as const] : []),
    ];
    const empty = needed.find(([, value]) => value === "");
    return !empty || !this.#errors.show(empty[0], t("tools_form_required"));
  }

  async #store(draft: Draft): Promise<void> {
    const isReaching = this.#isHttp && this.#host.isWanted;
    if (isReaching) await this.#host.allow(this.#gate.password);
    this.#gate.close();
    const bundleID = draft.bundleID === NEW_BUNDLE ? await this.#makeBundle() : draft.bundleID;
    const tool = await putTool({ ...keyOf(draft), bundleID }, bodyOf(draft));
    // Last: the browser's question may close the toolbar's popup, and by now everything is saved.
    const notes = warningWords(tool.warnings ?? []);
    const unreachable = (): void => void notes.push(t("tools_not_reachable"));
    if (isReaching) await this.#host.reach().catch(unreachable);
    this.around.saved(tool, notes);
  }

  async #makeBundle(): Promise<string> {
    const displayName = this.#identity.newBundleName;
    const id = this.#madeBundle ?? uuidv7();
    await putBundle(id, { slug: slugOf(displayName), displayName, description: "", isEnabled: true });
    this.#madeBundle = id;
    return id;
  }

  /** Shows an error of the core at its field. Says whether there is one. */
  #wrong(error: unknown, root: string): boolean {
    if (!(error instanceof RequestError)) return false;
    if (error.code === "tool_exists") return this.#errors.show("/version", t("tools_version_taken"));
    if (error.code === "name_taken") return this.#errors.show("/slug", explain(error));
    if (error.path === undefined || !error.path.startsWith(root)) return false;
    return this.#errors.show(error.path.slice(root.length), explain(new RequestError(error.status, "", error.message)));
  }
}
