// The list of bundles and tools, with search, import, secrets and hosts.

import { fill, h, icon } from "../../popup/element";
import { field, lineInput } from "../../popup/field";
import { taskForm } from "../../popup/form";
import { plural, t } from "../../popup/i18n";
import { getServers } from "../../popup/mcp/api";
import { emptyState, loading, problem, whileBusy } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { RequestError } from "../../popup/request";
import { getBundles, importBundle, putBundle, rebuildIndex, searchTools } from "../api";
import { readBase64 } from "../files";
import { importForm } from "../mcp/import";
import { McpPanel } from "../mcp/panel";
import { slugOf } from "../names";
import type { Bundle, Tool } from "../types";
import { uuidv7 } from "../uuid";
import { BundlePanel, focusedPlace } from "./bundle-panel";
import { HostsPanel } from "./hosts-panel";
import { SecretsPanel } from "./secrets-panel";
import { rowParts, toolRow } from "./tool-row";

interface HomeActions {
  /** Opens the editor: for a new tool, or a new version. */
  create(bundle?: Bundle): void;
  edit(tool: Tool): void;
}

const MAX_FOUND = 50;

export class Home {
  readonly element: HTMLElement;
  readonly #search: HTMLInputElement;
  readonly #status = h("span", { class: "muted small", role: "status" });
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #bundles = h("div", { class: "bundles" }, loading(t("tools_loading")));
  readonly #found = h("div", { class: "panel bundle-panel", hidden: true, "data-testid": "tools-found" });
  readonly #mcp = new McpPanel();
  readonly #secrets = new SecretsPanel();
  readonly #hosts = new HostsPanel(() => void this.load());
  readonly #panels = new Map<string, BundlePanel>();
  readonly #open = new Set<string>();
  readonly #parts = rowParts();
  /** Answers of earlier searches are dropped. */
  #turn = 0;

  constructor(private readonly actions: HomeActions) {
    this.#search = h("input", {
      type: "search",
      placeholder: t("tools_search"),
      "aria-label": t("tools_search"),
      "data-testid": "tools-search",
      on: { input: () => void this.#find() },
    });
    const create = h(
      "button",
      { type: "button", class: "primary", "data-testid": "tool-new", on: { click: () => actions.create() } },
      icon("plus"),
      t("tools_new"),
    );
    this.element = h(
      "div",
      { class: "tools-home" },
      h("div", { class: "title-row" }, h("h1", {}, t("tools_title")), h("div", { class: "buttons" }, this.#importButton(), create)),
      h("p", { class: "hint" }, t("tools_intro")),
      h("div", { class: "search" }, icon("search"), this.#search, this.#status),
      this.#notice,
      this.#found,
      this.#bundles,
      this.#newBundle(),
      importForm(() => void this.load()),
      this.#mcp.element,
      this.#secrets.element,
      this.#hosts.element,
      this.#rebuild(),
    );
  }

  /** Shows a text above the list. */
  say(words: string): void {
    fill(this.#notice, h("p", { class: "notice", role: "alert", "data-testid": "tools-notice" }, words));
  }

  /** Loads what is shown; open rows stay open. */
  async load(): Promise<void> {
    void this.#mcp.load();
    void this.#secrets.load();
    void this.#hosts.load();
    if (this.#search.value.trim() !== "") void this.#find();
    try {
      const [bundles, servers] = await Promise.all([getBundles(), getServers().catch(() => [])]);
      this.#show(bundles, new Set(servers.map(({ bundleID }) => bundleID)));
    } catch (error) {
      fill(
        this.#bundles,
        problem(error, () => void this.load()),
      );
    }
  }

  #show(bundles: readonly Bundle[], served: ReadonlySet<string>): void {
    // The user's own ones first.
    const order = bundles.toSorted((a, b) => Number(a.isBuiltIn) - Number(b.isBuiltIn));
    const ids = new Set(order.map(({ id }) => id));
    for (const id of this.#panels.keys()) if (!ids.has(id)) this.#panels.delete(id);
    const panels = order.map((bundle) => {
      const known = this.#panels.get(bundle.id);
      const panel = known ?? new BundlePanel(bundle, served.has(bundle.id), { add: (to) => this.actions.create(to), edit: this.actions.edit, changed: () => void this.load() });
      this.#panels.set(bundle.id, panel);
      if (known) known.show(bundle);
      void panel.load();
      return panel.element;
    });
    const own = order.some(({ isBuiltIn }) => !isBuiltIn);
    const elements = own ? panels : [this.#none(), ...panels];
    if (elements.length !== this.#bundles.children.length || elements.some((one, i) => this.#bundles.children[i] !== one)) {
      fill(this.#bundles, ...elements);
    }
  }

  #none(): HTMLElement {
    const create = h("button", { type: "button", on: { click: () => this.actions.create() } }, t("tools_new"));
    return emptyState("tools", t("tools_none"), t("tools_none_hint"), create);
  }

  async #find(): Promise<void> {
    const turn = ++this.#turn;
    const query = this.#search.value.trim();
    const searching = query !== "";
    this.#bundles.hidden = searching;
    this.#found.hidden = !searching;
    if (!searching) {
      this.#status.textContent = "";
      return fill(this.#found);
    }
    try {
      const { tools, nextPageToken } = await searchTools(query, true, MAX_FOUND);
      if (turn === this.#turn) this.#showFound(query, tools, nextPageToken !== null);
    } catch (error) {
      if (turn === this.#turn) fill(this.#found, problem(error, () => void this.#find()));
    }
  }

  #showFound(query: string, tools: readonly Tool[], isMore: boolean): void {
    const focused = focusedPlace(this.#found);
    this.#status.textContent = isMore
      ? t("tools_found_more", tools.length)
      : t(plural(tools.length, "tools_found_one", "tools_found_other"), tools.length);
    const rowActions = {
      edit: this.actions.edit,
      changed: () => void this.load(),
      isOpen: (id: string) => this.#open.has(id),
      opened: (id: string, isOpen: boolean) => void (isOpen ? this.#open.add(id) : this.#open.delete(id)),
      parts: this.#parts,
    };
    fill(
      this.#found,
      tools.length === 0
        ? emptyState("search", t("tools_found_none"), t("tools_found_none_hint", plain(query)))
        : h("ul", { class: "tool-list" }, ...tools.map((tool) => toolRow(tool, rowActions, false))),
    );
    focused?.();
  }

  #newBundle(): HTMLElement {
    const name = lineInput({ required: true, maxlength: 100, placeholder: t("tools_bundle_placeholder"), "data-testid": "bundle-new-name" });
    const details = h("details", { class: "new-bundle" });
    const form = taskForm({
      name: t("tools_bundle_new"),
      body: [field(t("tools_name"), name)],
      submit: [t("tools_bundle_create"), t("tools_saving")],
      testId: "bundle-create",
      run: async () => {
        const displayName = name.value.trim();
        await putBundle(uuidv7(), { slug: slugOf(displayName), displayName, description: "", isEnabled: true });
        name.value = "";
        details.open = false;
        await this.load();
      },
    });
    fill(details, h("summary", { "data-testid": "bundle-new" }, t("tools_bundle_new")), form);
    return details;
  }

  /** Only needed if the search does not find what is there. */
  #rebuild(): HTMLElement {
    const said = h("span", { class: "hint", role: "status", "data-testid": "index-rebuilt" });
    const button = h("button", { type: "button", class: "link", "data-testid": "index-rebuild" }, t("tools_index_rebuild"));
    button.addEventListener("click", () => {
      const work = async (): Promise<void> => {
        const { tools } = await rebuildIndex();
        said.textContent = t("tools_index_rebuilt", tools);
      };
      whileBusy(button, t("tools_index_rebuilding"), work).catch((error: unknown) => fill(this.#notice, problem(error)));
    });
    return h("p", { class: "index-line" }, button, " ", said);
  }

  #importButton(): HTMLElement {
    const input = h("input", { type: "file", accept: ".zip,application/zip", class: "visually-hidden", tabindex: -1, "aria-label": t("tools_import"), "data-testid": "bundle-import-file" });
    const button = h("button", { type: "button", class: "quiet", "data-testid": "bundle-import" }, icon("file"), t("tools_import"));
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      input.value = "";
      if (file) void this.#import(file, button);
    });
    return h("span", {}, button, input);
  }

  async #import(file: File, button: HTMLButtonElement): Promise<void> {
    fill(this.#notice);
    try {
      await whileBusy(button, t("tools_importing"), async () => void (await importBundle(await readBase64(file))));
      fill(this.#notice, h("p", { class: "hint", role: "status", "data-testid": "bundle-imported" }, t("tools_imported", plain(file.name))));
      await this.load();
    } catch (error) {
      const problems = error instanceof RequestError ? error.problems : [];
      const list = problems.map(({ file, message }) => h("li", {}, plain(file === undefined ? message : `${file}: ${message}`)));
      fill(this.#notice, problem(error), list.length > 1 && h("ul", { class: "hint", "data-testid": "import-problems" }, ...list));
    }
  }
}
