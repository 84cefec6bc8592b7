// The public side of the vault, which names the person to the agent. No secret is asked for here.

import type { PublicVault } from "../../../generated/PublicVault";
import { changeSettings } from "../api";
import { fill, h } from "../element";
import { shortAddress } from "../format";
import { problem, whileBusy } from "../parts";

const FIELDS: readonly { name: keyof PublicVault; label: string; hint?: string }[] = [
  { name: "name", label: "Name" },
  { name: "publicKeyEcdsa", label: "ECDSA public key", hint: "66 hexadecimal digits" },
  { name: "publicKeyEddsa", label: "EdDSA public key", hint: "64 hexadecimal digits" },
  { name: "hexChainCode", label: "Chain code", hint: "64 hexadecimal digits" },
];

export function vaultForm(vault: PublicVault | null): HTMLElement {
  const panel = h("div", { class: "panel" });
  render(panel, vault);
  return panel;
}

function render(panel: HTMLElement, vault: PublicVault | null): void {
  const heading = h("h2", {}, "Vault");
  if (vault) {
    const remove = h("button", { type: "button", "data-testid": "vault-remove" }, "Remove");
    const notice = h("div", { class: "notice-slot" });
    remove.addEventListener("click", () => void store(panel, remove, notice, null));
    fill(
      panel,
      heading,
      h(
        "p",
        {},
        h("strong", {}, vault.name),
        " ",
        h("span", { class: "address muted", title: vault.publicKeyEcdsa }, shortAddress(vault.publicKeyEcdsa)),
      ),
      notice,
      h("div", { class: "buttons" }, remove),
    );
    return;
  }
  fill(
    panel,
    heading,
    h("p", { class: "hint" }, "None yet. Its public keys tell the agent who you are; no secret is needed."),
    form(panel),
  );
}

function form(panel: HTMLElement): HTMLElement {
  const inputs = FIELDS.map(({ name, hint }) =>
    h("input", {
      id: `vault-${name}`,
      name,
      required: true,
      placeholder: hint,
      autocomplete: "off",
      spellcheck: "false",
      "data-testid": `vault-${name}`,
    }),
  );
  const save = h("button", { type: "submit", "data-testid": "vault-save" }, "Save keys");
  const notice = h("div", { class: "notice-slot" });
  const submitted = (event: Event): void => {
    event.preventDefault();
    const [name = "", publicKeyEcdsa = "", publicKeyEddsa = "", hexChainCode = ""] = inputs.map((input) =>
      input.value.trim(),
    );
    void store(panel, save, notice, { name, publicKeyEcdsa, publicKeyEddsa, hexChainCode });
  };
  return h(
    "details",
    {},
    h("summary", {}, "Enter public keys"),
    h(
      "form",
      { "aria-label": "Vault", on: { submit: submitted } },
      ...inputs.map((input, i) => h("div", { class: "field" }, h("label", { for: input.id }, FIELDS[i]?.label), input)),
      notice,
      h("div", { class: "buttons" }, save),
    ),
  );
}

async function store(
  panel: HTMLElement,
  pressed: HTMLButtonElement,
  notice: HTMLElement,
  vault: PublicVault | null,
): Promise<void> {
  fill(notice);
  try {
    await whileBusy(pressed, "Saving…", async () => render(panel, (await changeSettings({ vault })).vault));
  } catch (error) {
    fill(notice, problem(error));
  }
}
