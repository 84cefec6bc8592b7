// Packs of contract descriptions (ERC-7730): brought in from a file, a folder or an address, listed, removed.

import type { AddedDescriptorPack } from "../../../generated/AddedDescriptorPack";
import type { DescriptorPack } from "../../../generated/DescriptorPack";
import type { PackFile } from "../../../generated/PackFile";
import { addDescriptorPack, getDescriptorPacks, removeDescriptorPack, type NewDescriptorPack } from "../api";
import { fill, h } from "../element";
import { field, lineInput } from "../field";
import { taskForm } from "../form";
import { fullTime } from "../format";
import { plural, t } from "../i18n";
import { loading, problem, whileBusy } from "../parts";
import { plain } from "../plain";
import { RequestError } from "../request";
import { askToReach } from "./reach";

/** What the core takes in one request, less what base64 adds. */
const MOST_BYTES = 4 << 20;

export class DescriptorsPanel {
  readonly element: HTMLElement;
  readonly #list = h("div", {}, loading(t("descriptors_loading")));
  readonly #shown = h("div", { "aria-live": "polite" });

  constructor() {
    this.element = h(
      "section",
      { class: "panel", "aria-label": t("descriptors_title"), "data-testid": "descriptors" },
      h("h2", {}, t("descriptors_title")),
      h("p", { class: "hint" }, t("descriptors_hint")),
      this.#list,
      this.#form(),
      this.#shown,
    );
  }

  async load(): Promise<void> {
    try {
      const packs = await getDescriptorPacks();
      if (packs.length === 0) fill(this.#list, h("p", { class: "muted" }, t("descriptors_none")));
      else fill(this.#list, h("ul", { class: "rules" }, ...packs.map((pack) => this.#row(pack))));
    } catch (error) {
      fill(
        this.#list,
        problem(error, () => void this.load()),
      );
    }
  }

  #row(pack: DescriptorPack): HTMLElement {
    const { id, name, digest, count, source, addedAt } = pack;
    const words = plain(name);
    const remove = h(
      "button",
      { type: "button", "aria-label": t("descriptors_remove_name", words), "data-testid": "descriptors-remove" },
      t("descriptors_remove"),
    );
    const when = fullTime(addedAt);
    const from =
      source.kind === "file" ? t("descriptors_from_file", when) : t("descriptors_from_address", plain(source.url), when);
    const row = h(
      "li",
      { "data-testid": "descriptors-row", "data-digest": digest },
      h(
        "span",
        { class: "rule-main" },
        h("strong", {}, words),
        h("span", { class: "muted small" }, `${t(plural(count, "descriptors_count_one", "descriptors_count_other"), count)}, ${from}`),
        h("code", { class: "muted small digest" }, digest),
      ),
      remove,
    );
    remove.addEventListener("click", () => {
      whileBusy(remove, t("descriptors_removing"), () => removeDescriptorPack(id)).then(
        () => this.load(),
        (error: unknown) => row.append(problem(error)),
      );
    });
    return row;
  }

  #form(): HTMLFormElement {
    const name = lineInput({ required: true, maxlength: 64, "data-testid": "descriptors-name" });
    const file = h("input", { type: "file", accept: ".json,.zip,application/json,application/zip", "data-testid": "descriptors-file" });
    const folder = h("input", { type: "file", webkitdirectory: true, "data-testid": "descriptors-folder" });
    const url = lineInput({ type: "url", placeholder: "https://site.example", "data-testid": "descriptors-url" });
    const form = taskForm({
      name: t("descriptors_title"),
      body: [
        field(t("descriptors_name"), name),
        field(t("descriptors_file"), file),
        field(t("descriptors_folder"), folder),
        field(t("descriptors_url"), url, t("descriptors_url_hint")),
      ],
      submit: [t("descriptors_add"), t("descriptors_adding")],
      testId: "descriptors-add",
      errorTestId: "descriptors-error",
      run: async () => {
        const address = url.value.trim();
        // First: the browser asks only right after a press.
        if (address !== "") await askToReach(address);
        await this.#add({ name: name.value.trim(), ...(await given(file, folder, address)) });
        form.reset();
      },
    });
    return form;
  }

  async #add(pack: NewDescriptorPack): Promise<void> {
    const added = await addDescriptorPack(pack);
    fill(this.#shown, added.taken ? h("p", { class: "saved" }, t("descriptors_added")) : this.#offer(pack, added));
    if (added.taken) await this.load();
  }

  /** What an address gave: used only with the digest that the user saw. */
  #offer(pack: NewDescriptorPack, { pack: { count, digest }, replaces }: AddedDescriptorPack): HTMLElement {
    return taskForm({
      name: t("descriptors_accept"),
      body: [
        h("p", {}, t("descriptors_found", count)),
        h("p", {}, h("code", { class: "digest", "data-testid": "descriptors-digest" }, digest)),
        replaces !== null && h("p", { class: "problem" }, h("span", {}, t("descriptors_replaces", replaces))),
      ],
      submit: [t("descriptors_accept"), t("descriptors_adding")],
      testId: "descriptors-accept",
      run: () => this.#add({ ...pack, digest }),
      cancel: () => fill(this.#shown),
    });
  }
}

async function given(
  file: HTMLInputElement,
  folder: HTMLInputElement,
  url: string,
): Promise<Omit<NewDescriptorPack, "name">> {
  if (url !== "") return { url };
  const [one] = file.files ?? [];
  if (one !== undefined) return { file: await base64(one) };
  const files = [...(folder.files ?? [])].filter(({ name }) => name.endsWith(".json"));
  if (files.length === 0) throw new RequestError(0, "no_file", "");
  if (files.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) throw new RequestError(0, "file_too_long", "");
  const read = async (entry: File): Promise<PackFile> => ({ path: entry.webkitRelativePath, text: await entry.text() });
  return { files: await Promise.all(files.map(read)) };
}

async function base64(file: File): Promise<string> {
  if (file.size > MOST_BYTES) throw new RequestError(0, "file_too_long", "");
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  // In parts: a call has only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
