// What a tool is called, what it does and where it belongs.

import { fill, h, icon } from "../../popup/element";
import { choice, field, lineInput } from "../../popup/field";
import { t, type MessageKey } from "../../popup/i18n";
import type { FieldErrors } from "../../popup/json/field-error";
import { plain } from "../../popup/plain";
import type { Draft } from "../draft";
import { lintDescription } from "../lint";
import { slugOf } from "../names";
import type { Bundle } from "../types";
import { sectionBox, type Section } from "./section";

/** Stands for a bundle that is made when the tool is saved. */
export const NEW_BUNDLE = "";

const LINTS: readonly (readonly [keyof ReturnType<typeof lintDescription>, MessageKey])[] = [
  ["what", "tools_lint_what"],
  ["when", "tools_lint_when"],
  ["otherwise", "tools_lint_otherwise"],
];

export class IdentitySection implements Section {
  readonly element: HTMLElement;
  readonly #name: HTMLInputElement;
  readonly #slug: HTMLInputElement;
  readonly #version: HTMLInputElement;
  readonly #bundle: HTMLSelectElement;
  readonly #newBundle: HTMLInputElement;
  readonly #newBundleField: HTMLElement;
  readonly #description: HTMLTextAreaElement;
  readonly #tags: HTMLInputElement;
  readonly #lint = h("ul", { class: "lint", "aria-live": "polite" });
  #isSlugTyped: boolean;

  /** `isVersion`: a new version keeps its bundle and short name. */
  constructor(bundles: readonly Bundle[], isVersion: boolean, errors: FieldErrors) {
    this.#isSlugTyped = isVersion;
    this.#name = errors.add("/displayName", lineInput({ maxlength: 100, placeholder: t("tools_name_placeholder"), "data-testid": "edit-name" }));
    this.#slug = errors.add("/slug", lineInput({ readonly: isVersion, "data-testid": "edit-slug" }));
    this.#version = errors.add("/version", lineInput({ "data-testid": "edit-version" }));
    const own = bundles.filter(({ isBuiltIn }) => !isBuiltIn).map(({ id, displayName }) => [id, plain(displayName)] as const);
    this.#bundle = choice([...own, [NEW_BUNDLE, t("tools_bundle_other")]], { disabled: isVersion, "data-testid": "edit-bundle" });
    this.#newBundle = errors.add("/bundle", lineInput({ value: t("tools_bundle_first"), maxlength: 100, "data-testid": "edit-new-bundle" }));
    this.#newBundleField = field(t("tools_bundle_name"), this.#newBundle);
    this.#description = errors.add("/description", h("textarea", { rows: 3, placeholder: t("tools_description_placeholder"), "data-testid": "edit-description" }));
    this.#tags = errors.add("/tags", lineInput({ placeholder: t("tools_tags_placeholder"), "data-testid": "edit-tags" }));
    this.#name.addEventListener("input", () => {
      if (!this.#isSlugTyped) this.#slug.value = slugOf(this.#name.value);
    });
    this.#slug.addEventListener("input", () => (this.#isSlugTyped = this.#slug.value !== ""));
    this.#bundle.addEventListener("change", () => this.#showBundle());
    this.#description.addEventListener("input", () => this.#showLint());
    this.element = sectionBox(
      t("tools_part_identity"),
      field(t("tools_name"), this.#name),
      field(t("tools_description"), this.#description),
      this.#lint,
      h(
        "details",
        { open: isVersion, "data-testid": "edit-naming" },
        h("summary", {}, t("tools_part_naming")),
        h(
          "div",
          { class: "pair" },
          field(t("tools_slug"), this.#slug, isVersion ? t("tools_slug_fixed") : t("tools_slug_hint")),
          field(t("tools_version"), this.#version, t("tools_version_hint")),
          field(t("tools_bundle"), this.#bundle),
          this.#newBundleField,
          field(t("tools_tags"), this.#tags, t("tools_tags_hint")),
        ),
      ),
    );
  }

  /** What to call the bundle that is made when the tool is saved. */
  get newBundleName(): string {
    return this.#newBundle.value.trim();
  }

  focus(): void {
    this.#name.focus();
  }

  show(draft: Draft): void {
    this.#name.value = draft.displayName;
    this.#slug.value = draft.slug;
    this.#version.value = draft.version;
    this.#bundle.value = draft.bundleID;
    if (this.#bundle.selectedIndex === -1) this.#bundle.value = NEW_BUNDLE;
    this.#description.value = draft.description;
    this.#tags.value = draft.tags.join(", ");
    if (draft.slug !== "" && draft.slug !== slugOf(draft.displayName)) this.#isSlugTyped = true;
    this.#showBundle();
    this.#showLint();
  }

  read(draft: Draft): boolean {
    draft.displayName = this.#name.value.trim();
    draft.slug = this.#slug.value.trim();
    draft.version = this.#version.value.trim();
    draft.bundleID = this.#bundle.value;
    draft.description = this.#description.value.trim();
    draft.tags = this.#tags.value.split(/[,\s]+/).filter((tag) => tag !== "");
    return true;
  }

  #showBundle(): void {
    this.#newBundleField.hidden = this.#bundle.value !== NEW_BUNDLE;
  }

  #showLint(): void {
    const found = lintDescription(this.#description.value);
    const item = ([part, words]: (typeof LINTS)[number]): HTMLElement =>
      h("li", { "data-good": String(found[part]) }, icon(found[part] ? "check" : "minus"), t(words));
    fill(this.#lint, ...LINTS.map(item));
  }
}
