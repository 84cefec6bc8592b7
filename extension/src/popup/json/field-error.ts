// An error at its field: below the input, read with it by screen readers.

import { h } from "../element";
import { around } from "./path";

let errors = 0;

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLElement;

/** Shows an error below a control. An empty message removes it. */
export function setFieldError(control: Control, message: string): void {
  const container = control.closest<HTMLElement>(".field, fieldset") ?? control.parentElement;
  const old = control.dataset["errorId"];
  if (old !== undefined) {
    document.getElementById(old)?.remove();
    delete control.dataset["errorId"];
    describe(control, (ids) => ids.filter((id) => id !== old));
    control.removeAttribute("aria-invalid");
  }
  if (message === "" || !container) return;
  errors += 1;
  const id = `field-error-${errors}`;
  container.append(h("span", { id, class: "field-error", role: "alert", "data-testid": "field-error" }, message));
  control.dataset["errorId"] = id;
  control.setAttribute("aria-invalid", "true");
  describe(control, (ids) => [...ids, id]);
}

function describe(control: Control, change: (ids: string[]) => string[]): void {
  const ids = change((control.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== ""));
  if (ids.length === 0) control.removeAttribute("aria-describedby");
  else control.setAttribute("aria-describedby", ids.join(" "));
}

/** Moves the focus to a control, also if it is folded away. */
export function reveal(control: HTMLElement): void {
  for (let at = control.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
  control.focus();
}

/** The controls of a form by the pointers of what they hold. */
export class FieldErrors {
  /** Several for one pointer if only one of them is on the page at a time. */
  readonly #controls: { readonly pointer: string; readonly control: Control }[] = [];

  add<C extends Control>(pointer: string, control: C): C {
    this.#controls.push({ pointer, control });
    return control;
  }

  /** Shows an error at its place, or at the nearest one around it. Says whether there is one. */
  show(pointer: string, message: string): boolean {
    const shown = this.#controls.filter(({ control }) => control.isConnected);
    const nearest = around(pointer).flatMap((place) => shown.filter((known) => place !== "" && known.pointer === place));
    const control = nearest[0]?.control;
    if (!control) return false;
    setFieldError(control, message);
    reveal(control);
    return true;
  }

  clear(): void {
    for (const { control } of this.#controls) setFieldError(control, "");
  }
}
