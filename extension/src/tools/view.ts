// The Tools page: the list, or the editor in its place. In a tab, in the side panel and in the popup.

import { fill, h } from "../popup/element";
import { t } from "../popup/i18n";
import { loading, problem } from "../popup/parts";
import type { Surroundings, View } from "../popup/view";
import { getAllowedHosts, getBundles, getSecrets, getTool, getTools } from "./api";
import { newDraft, nextDraft } from "./draft";
import { Editor } from "./editor/editor";
import { NEW_BUNDLE } from "./editor/identity";
import { Home } from "./home/home";
import type { Bundle, Tool } from "./types";

/** Events after which a tool's count of calls, or whether it can be called, may be another. */
const CHANGES: readonly string[] = ["toolsModified", "action_result", "vaultModified"];

export class ToolsView implements View {
  readonly element = h("section", { class: "view page tools-page", "aria-label": t("tools_title"), "data-testid": "tools-page" });
  readonly #home = new Home({ create: (bundle) => void this.#create(bundle), edit: (tool) => void this.#edit(tool) });
  /** What had the focus before the editor opened. */
  #opener: Element | null = null;
  #editor: Editor | undefined;

  constructor(private readonly around: Surroundings) {}

  show(): void {
    fill(this.element, this.#home.element);
    void this.#openWanted();
    this.around.listen(undefined, {
      event: ({ event }) => {
        if (CHANGES.includes(event)) this.#reload();
      },
      reload: () => this.#reload(),
    });
  }

  #reload(): void {
    if (this.#home.element.isConnected) void this.#home.load();
  }

  /** The address of a tab may name what to edit. */
  async #openWanted(): Promise<void> {
    const query = new URLSearchParams(location.search);
    const [bundleID, slug, version] = query.getAll("edit");
    const isNew = query.has("new");
    if (!isNew && bundleID === undefined) return;
    // Only once: a view that is shown again shows the list.
    history.replaceState(null, "", location.pathname + location.hash);
    if (isNew) return this.#create();
    const tool = await getTool({ bundleID: bundleID ?? "", slug: slug ?? "", version: version ?? "" }).catch(() => undefined);
    if (tool) await this.#edit(tool);
  }

  async #create(bundle?: Bundle): Promise<void> {
    if (inTab(new URLSearchParams({ new: "" }))) return;
    await this.#open(undefined, async (bundles) => {
      const first = bundles.find(({ isBuiltIn, isEnabled }) => !isBuiltIn && isEnabled);
      return newDraft((bundle ?? first)?.id ?? NEW_BUNDLE);
    });
  }

  async #edit(tool: Tool): Promise<void> {
    if (inTab(new URLSearchParams([tool.bundleID, tool.slug, tool.version].map((part) => ["edit", part])))) return;
    await this.#open(tool, async () => {
      const { tools } = await getTools(tool.bundleID);
      const versions = tools.filter(({ slug }) => slug === tool.slug).map(({ version }) => version);
      return nextDraft(tool, [...new Set([tool.version, ...versions])]);
    });
  }

  async #open(before: Tool | undefined, draftFor: (bundles: readonly Bundle[]) => Promise<ReturnType<typeof newDraft>>): Promise<void> {
    this.#opener = document.activeElement;
    fill(this.element, loading(t("tools_loading")));
    try {
      // Without a vault there are no secrets; the field that saves one says so.
      const [bundles, secrets, allowedHosts] = await Promise.all([getBundles(), getSecrets().catch(() => []), getAllowedHosts()]);
      const draft = await draftFor(bundles);
      const editor = new Editor({ draft, before, bundles, secrets, allowedHosts }, { saved: (_, notes) => this.#back(notes), cancelled: () => this.#back() });
      fill(this.element, editor.element);
      addEventListener("beforeunload", this.#keep);
      this.#editor = editor;
      this.element.scrollTop = 0;
      editor.focus();
    } catch (error) {
      fill(
        this.element,
        problem(error, () => void this.#open(before, draftFor)),
      );
    }
  }

  /** The browser asks before a tab with a changed draft is closed. */
  readonly #keep = (event: BeforeUnloadEvent): void => {
    if (this.#editor?.isChanged && this.#editor.element.isConnected) event.preventDefault();
    else removeEventListener("beforeunload", this.#keep);
  };

  #back(notes: readonly string[] = []): void {
    removeEventListener("beforeunload", this.#keep);
    this.#editor = undefined;
    fill(this.element, this.#home.element);
    if (notes.length > 0) this.#home.say(notes.join(" "));
    void this.#home.load();
    if (this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
  }
}

/** The toolbar's popup closes with every press beside it, so it edits in a tab. */
function inTab(query: URLSearchParams): boolean {
  if (document.documentElement.dataset["shape"] !== "popup") return false;
  void chrome.tabs.create({ url: chrome.runtime.getURL(`tools.html?${query}`) });
  window.close();
  return true;
}
