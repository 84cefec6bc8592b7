// A switch that shows what the core has, and goes back if the core refuses.

import { h } from "../popup/element";

interface Switching {
  label: string;
  isOn: boolean;
  testId: string;
  change(isOn: boolean): Promise<void>;
  failed(error: unknown): void;
}

export function toggle({ label, isOn, testId, change, failed }: Switching): HTMLButtonElement {
  const button = h("button", { type: "button", class: "switch", role: "switch", "aria-label": label, title: label, "data-testid": testId });
  const show = (on: boolean): void => button.setAttribute("aria-checked", String(on));
  let on = isOn;
  show(on);
  button.addEventListener("click", () => {
    // Not disabled while the core works: the focus would go.
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    show(!on);
    change(!on)
      .then(
        () => void (on = !on),
        (error: unknown) => {
          show(on);
          failed(error);
        },
      )
      .finally(() => button.removeAttribute("aria-busy"));
  });
  return button;
}
