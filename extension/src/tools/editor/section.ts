// A part of the editor: some fields of the draft.

import { h, type Child } from "../../popup/element";
import type { Draft } from "../draft";

export interface Section {
  readonly element: HTMLElement;
  /** Puts a draft into the fields. */
  show(draft: Draft): void;
  /** Puts the fields into a draft. False if one cannot be read, which is then shown there. */
  read(draft: Draft): boolean;
}

export function sectionBox(title: string, ...body: readonly Child[]): HTMLElement {
  return h("section", { class: "panel editor-section", "aria-label": title }, h("h2", {}, title), ...body);
}
