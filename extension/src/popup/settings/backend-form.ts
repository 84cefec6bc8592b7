// The agent's address and token. The token can be set and removed but is never shown again.

import type { BackendSettings } from "../../../generated/BackendSettings";
import { changeSettings, type SettingsChange } from "../api";
import { fill, h } from "../element";
import { t, tParts } from "../i18n";
import { problem, whileBusy } from "../parts";
import { needsPassword, PasswordGate } from "../password-gate";
import { refuse } from "../refusal";
import { askToReach } from "./reach";

const SAVED_MILLIS = 2_500;

export function backendForm(backend: BackendSettings): HTMLElement {
  const url = h("input", {
    id: "backend-url",
    type: "url",
    value: backend.url,
    placeholder: "https://agent.example",
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": "backend-url-hint",
    "data-testid": "settings-backend-url",
  });
  const token = h("input", {
    id: "backend-token",
    type: "password",
    autocomplete: "off",
    "aria-describedby": "backend-token-hint",
    "data-testid": "settings-backend-token",
  });
  const tokenHint = h("span", { id: "backend-token-hint", class: "hint" });
  const save = h("button", { type: "submit", class: "primary", "data-testid": "settings-save" }, t("settings_save"));
  const saved = h("span", { class: "saved", role: "status", "data-testid": "settings-saved" });
  const gate = new PasswordGate();
  const notice = h("div", { class: "notice-slot" });

  function describeToken({ hasToken }: BackendSettings): void {
    token.placeholder = hasToken ? t("settings_token_kept") : t("settings_none");
    const remove = h(
      "button",
      { type: "button", class: "link", "data-testid": "settings-token-remove" },
      t("settings_token_remove"),
    );
    remove.addEventListener("click", () => void store(remove, { token: null }));
    if (hasToken) fill(tokenHint, ...tParts("settings_token_set", remove));
    else fill(tokenHint, t("settings_token_hint"));
  }

  async function store(pressed: HTMLButtonElement, change: NonNullable<SettingsChange["backend"]>): Promise<void> {
    fill(notice);
    try {
      await whileBusy(pressed, t("settings_saving"), async () => {
        const settings = await changeSettings({ backend: change, password: gate.password });
        gate.close();
        url.value = settings.backend.url;
        token.value = "";
        describeToken(settings.backend);
      });
      saved.textContent = t("settings_saved");
      setTimeout(() => (saved.textContent = ""), SAVED_MILLIS);
    } catch (error) {
      if (needsPassword(error)) return gate.ask(error);
      refuse(notice, pressed, error);
      gate.again();
    }
  }

  async function submit(): Promise<void> {
    const address = url.value.trim();
    try {
      await askToReach(address);
    } catch (error) {
      return fill(notice, problem(error));
    }
    await store(save, token.value === "" ? { url: address } : { url: address, token: token.value });
  }

  const submitted = (event: Event): void => {
    event.preventDefault();
    void submit();
  };
  describeToken(backend);
  return h(
    "form",
    { class: "panel", "aria-label": t("settings_agent"), novalidate: true, on: { submit: submitted } },
    h("h2", {}, t("settings_agent")),
    h(
      "div",
      { class: "field" },
      h("label", { for: url.id }, t("settings_address")),
      url,
      h("span", { id: "backend-url-hint", class: "hint" }, t("settings_address_hint")),
    ),
    h("div", { class: "field" }, h("label", { for: token.id }, t("settings_token")), token, tokenHint),
    gate.element,
    notice,
    h("div", { class: "buttons" }, saved, save),
  );
}
