// One bundle: its switch, its tools, and what can be done with it.

import { fill, h, icon } from "../../popup/element";
import { t } from "../../popup/i18n";
import { field, lineInput } from "../../popup/field";
import { taskForm } from "../../popup/form";
import { confirmInline, loading, problem, whileBusy } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { deleteBundle, exportBundle, getTools, putBundle, switchBundle, type ExportedZip } from "../api";
import { saveZip } from "../files";
import { toggle } from "../switch";
import type { Bundle, Tool } from "../types";
import { groupsOf } from "./groups";
import { rowParts, toolGroup } from "./tool-row";

export interface BundleActions {
  /** Opens the editor for a new tool in the bundle. */
  add(bundle: Bundle): void;
  /** Opens the editor with a new version. */
  edit(tool: Tool): void;
  /** A bundle was renamed or deleted. */
  changed(): void;
}

export class BundlePanel {
  readonly element: HTMLElement;
  readonly #head = h("div", { class: "bundle-head" });
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #slot = h("div", { class: "tool-slot" });
  readonly #list = h("div", {}, loading(t("tools_loading")));
  readonly #more = h("div", { class: "more" });
  readonly #open = new Set<string>();
  readonly #parts = rowParts();
  #tools: Tool[] = [];
  #next: string | null = null;
  /** What was rendered last. */
  #rendered = "";
  #bundle: Bundle;

  /** `isServed`: its tools are those of an MCP server, and can only be switched. */
  constructor(
    bundle: Bundle,
    private readonly isServed: boolean,
    private readonly actions: BundleActions,
  ) {
    this.#bundle = bundle;
    this.element = h(
      "section",
      { class: "panel bundle-panel", "data-testid": "bundle", "data-slug": bundle.slug },
      this.#head,
      this.#notice,
      this.#slot,
      this.#list,
      this.#more,
    );
    this.show(bundle);
  }

  show(bundle: Bundle): void {
    this.#bundle = bundle;
    const name = plain(bundle.displayName);
    this.element.setAttribute("aria-label", name);
    this.element.dataset["enabled"] = String(bundle.isEnabled);
    fill(
      this.#head,
      h(
        "div",
        { class: "bundle-main" },
        h(
          "h2",
          {},
          name,
          bundle.isBuiltIn && h("span", { class: "chip" }, t("tools_built_in")),
          this.isServed && h("span", { class: "chip" }, t("tools_type_mcp")),
        ),
        bundle.description !== "" && h("p", { class: "hint" }, plain(bundle.description)),
      ),
      !bundle.isBuiltIn && !this.isServed && this.#menu(),
      toggle({
        label: t("tools_switch_bundle", name),
        isOn: bundle.isEnabled,
        testId: "bundle-switch",
        change: async (isOn) => {
          fill(this.#notice);
          const changed = await switchBundle(bundle.id, isOn);
          this.#bundle = changed;
          this.element.dataset["enabled"] = String(changed.isEnabled);
          // Whether its tools can be called has changed as well.
          await this.load();
        },
        failed: (error) => fill(this.#notice, problem(error)),
      }),
    );
  }

  async load(token?: string): Promise<void> {
    try {
      const page = await getTools(this.#bundle.id, token);
      this.#tools = token === undefined ? page.tools : [...this.#tools, ...page.tools];
      this.#next = page.nextPageToken;
      this.#render();
    } catch (error) {
      this.#rendered = "";
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #render(): void {
    // What a user types in a row would lose the focus for nothing.
    const next = JSON.stringify([this.#tools, this.#next]);
    if (next === this.#rendered) return;
    this.#rendered = next;
    const focused = focusedPlace(this.#list);
    const groups = groupsOf(this.#tools);
    const actions = {
      edit: (tool: Tool) => this.actions.edit(tool),
      changed: (tool?: Tool) => this.#changed(tool),
      isOpen: (id: string) => this.#open.has(id),
      opened: (id: string, isOpen: boolean) => void (isOpen ? this.#open.add(id) : this.#open.delete(id)),
      parts: this.#parts,
    };
    fill(
      this.#list,
      groups.length === 0
        ? h("p", { class: "muted", "data-testid": "bundle-empty" }, t("tools_bundle_empty"))
        : h("ul", { class: "tool-list" }, ...groups.map((group) => toolGroup(group, actions))),
    );
    focused?.();
    const token = this.#next ?? undefined;
    const more = h("button", { type: "button" }, t("tools_show_more"));
    more.addEventListener("click", () => void whileBusy(more, t("tools_loading"), () => this.load(token)));
    fill(this.#more, token !== undefined && more);
  }

  #changed(tool: Tool | undefined): void {
    // A deleted version may have been what others depend on.
    if (!tool) return void this.load();
    this.#tools = this.#tools.map((known) => (known.id === tool.id ? tool : known));
    this.#render();
  }

  #menu(): HTMLElement {
    const act = (words: string, testId: string, name: "plus" | "pen" | "file" | "bin", click: (button: HTMLButtonElement) => void) => {
      const button = h("button", { type: "button", class: "icon-button", "aria-label": words, title: words, "data-testid": testId }, icon(name));
      button.addEventListener("click", () => click(button));
      return button;
    };
    return h(
      "div",
      { class: "bundle-menu" },
      act(t("tools_bundle_add"), "bundle-add", "plus", () => this.actions.add(this.#bundle)),
      act(t("tools_bundle_rename"), "bundle-rename", "pen", (button) => this.#rename(button)),
      act(t("tools_bundle_export"), "bundle-export", "file", (button) => void this.#export(button)),
      act(t("tools_bundle_delete"), "bundle-delete", "bin", (button) => this.#delete(button)),
    );
  }

  #close(opener: HTMLElement): void {
    fill(this.#slot);
    opener.focus();
  }

  #rename(opener: HTMLElement): void {
    const { id, slug, description, displayName, isEnabled } = this.#bundle;
    const name = lineInput({ value: displayName, required: true, maxlength: 100, "data-testid": "bundle-name" });
    const about = lineInput({ value: description, maxlength: 500, "data-testid": "bundle-description" });
    const form = taskForm({
      name: t("tools_bundle_rename"),
      body: [field(t("tools_name"), name), field(t("tools_bundle_about"), about)],
      submit: [t("tools_save"), t("tools_saving")],
      testId: "bundle-save",
      run: async () => {
        await putBundle(id, { slug, displayName: name.value.trim(), description: about.value.trim(), isEnabled });
        this.#close(opener);
        this.actions.changed();
      },
      cancel: () => this.#close(opener),
    });
    fill(this.#slot, form);
    name.select();
  }

  async #export(button: HTMLButtonElement): Promise<void> {
    fill(this.#notice);
    try {
      let warnings: ExportedZip["warnings"] = [];
      await whileBusy(button, "", async () => {
        const zip = await exportBundle(this.#bundle.id);
        saveZip(zip);
        warnings = zip.warnings;
      });
      const doubts = warnings.map(({ file, path, message }) => h("li", {}, h("code", {}, plain(`${file} ${path}`)), " ", plain(message)));
      fill(
        this.#notice,
        h("p", { class: "hint", role: "status", "data-testid": "bundle-exported" }, t("tools_exported")),
        doubts.length > 0 && h("div", { class: "notice", role: "alert", "data-testid": "export-warnings" }, h("p", {}, t("tools_export_warnings")), h("ul", {}, ...doubts)),
      );
    } catch (error) {
      fill(this.#notice, problem(error));
    }
  }

  #delete(opener: HTMLElement): void {
    const question = t("tools_bundle_delete_question", plain(this.#bundle.displayName));
    const confirmed = (button: HTMLButtonElement): void => {
      whileBusy(button, t("tools_deleting"), () => deleteBundle(this.#bundle.id)).then(
        () => this.actions.changed(),
        (error: unknown) => fill(this.#slot, problem(error)),
      );
    };
    const kept = (): void => this.#close(opener);
    fill(this.#slot, confirmInline({ question, yes: t("tools_delete"), testId: "bundle-delete", confirmed, kept }));
    this.#slot.querySelector("button")?.focus();
  }
}

/** Puts the focus back on the same control of the same row after the rows were made again. */
export function focusedPlace(list: HTMLElement): (() => void) | undefined {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !list.contains(active)) return undefined;
  const { slug, version } = active.closest<HTMLElement>("[data-testid=tool-row]")?.dataset ?? {};
  const testId = active.dataset["testid"];
  return () => {
    const rows = [...list.querySelectorAll<HTMLElement>("[data-testid=tool-row]")];
    const row = rows.find(({ dataset }) => dataset["slug"] === slug && dataset["version"] === version);
    row?.querySelector<HTMLElement>(`[data-testid="${testId ?? ""}"]`)?.focus();
  };
}
