// The Tools page: the list, or the editor in its place. In a tab, in the side panel and in the popup.

import { fill, h } from "../popup/element";
import { t } from "../popup/i18n";
import { loading, problem } from "../popup/parts";
import type { Surroundings, View } from "../popup/view";
import { getAllowedHosts, getBundles, getSecrets, getTools } from "./api";
import { newDraft, nextDraft } from "./draft";
import { Editor } from "./editor/editor";
import { NEW_BUNDLE } from "./editor/identity";
import { Home } from "./home/home";
import type { Bundle, Tool } from "./types";

export class ToolsView implements View {
  readonly element = h("section", { class: "view page tools-page", "aria-label": t("tools_title"), "data-testid": "tools-page" });
  readonly #home = new Home({ create: (bundle) => void this.#create(bundle), edit: (tool) => void this.#edit(tool) });
  /** What had the focus before the editor opened. */
  #opener: Element | null = null;

  constructor(private readonly around: Surroundings) {}

  show(): void {
    fill(this.element, this.#home.element);
    this.around.listen(undefined, {
      event: ({ event }) => {
        // Its count of calls, and whether it can be called, may be others.
        if (event === "action_result" || event === "vaultModified") this.#reload();
      },
      reload: () => this.#reload(),
    });
  }

  #reload(): void {
    if (this.#home.element.isConnected) void this.#home.load();
  }

  async #create(bundle?: Bundle): Promise<void> {
    await this.#open(undefined, async (bundles) => {
      const first = bundles.find(({ isBuiltIn, isEnabled }) => !isBuiltIn && isEnabled);
      return newDraft((bundle ?? first)?.id ?? NEW_BUNDLE);
    });
  }

  async #edit(tool: Tool): Promise<void> {
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
      const editor = new Editor({ draft, before, bundles, secrets, allowedHosts }, { saved: () => this.#back(), cancelled: () => this.#back() });
      fill(this.element, editor.element);
      this.element.scrollTop = 0;
      editor.focus();
    } catch (error) {
      fill(
        this.element,
        problem(error, () => void this.#open(before, draftFor)),
      );
    }
  }

  #back(): void {
    fill(this.element, this.#home.element);
    void this.#home.load();
    if (this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
  }
}
