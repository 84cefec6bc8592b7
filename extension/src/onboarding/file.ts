// A vault from a file: a Countersign backup, which keeps its password, or a .vult file, which gets a new one.

import type { NewVault } from "../popup/api";
import { h } from "../popup/element";
import { field, forget, secretField, secretInput } from "../popup/field";
import { t } from "../popup/i18n";
import { RequestError } from "../popup/request";
import { NewPassword } from "../popup/vaults/new-password";
import { strengthOf } from "../popup/vaults/strength";
import { makingStep } from "./making";
import type { Path, Step } from "./step";

/** The core's size limit. */
const LARGEST_BYTES = 4 * 1024 * 1024;

export function fileStep(path: Path): Step {
  const chooser = h("input", {
    type: "file",
    accept: ".json,.vult,.txt",
    required: true,
    "data-testid": "onboarding-file",
  });
  const filePassword = secretInput({ "data-testid": "onboarding-file-password" });
  const password = new NewPassword("onboarding-password", t("onboarding_new_password"));
  const hint = h("span", { role: "status" });
  /** The backup's own password is a common one: the vault gets another here. */
  let needsNew = false;
  const foreign = h(
    "fieldset",
    { hidden: true, disabled: true },
    h("legend", {}, t("onboarding_file_legend")),
    h("p", { class: "hint" }, t("onboarding_file_legend_hint")),
    password.element,
  );
  const show = (kind: "own" | "foreign" | undefined): void => {
    hint.textContent =
      kind !== "own"
        ? t("onboarding_file_empty")
        : needsNew ? t("onboarding_file_common") : t("onboarding_file_own");
    foreign.hidden = foreign.disabled = kind !== "foreign" && !(kind === "own" && needsNew);
  };
  const look = (): Promise<void> =>
    read(chooser).then(
      ({ isOwn }) => show(isOwn ? "own" : "foreign"),
      () => show(undefined),
    );
  chooser.addEventListener("change", () => {
    needsNew = false;
    void look();
  });
  show(undefined);

  return makingStep(
    {
      title: t("onboarding_file_title"),
      lead: t("onboarding_file_lead"),
      body: [
        field(t("onboarding_file_field"), chooser),
        secretField(t("onboarding_file_password"), filePassword, hint),
        foreign,
      ],
      submit: [t("onboarding_import_submit"), t("onboarding_file_busy")],
      read: async (name) => vaultOf(name, await read(chooser), filePassword.value, password, needsNew),
      refused(error) {
        if (!(error instanceof RequestError) || error.code !== "common_password") return;
        needsNew = true;
        void look();
      },
      needsBackup: false,
      forget() {
        forget(filePassword);
        password.forget();
        chooser.value = "";
      },
    },
    path,
  );
}

interface BackupFile {
  text: string;
  isOwn: boolean;
}

async function read(chooser: HTMLInputElement): Promise<BackupFile> {
  const file = chooser.files?.[0];
  if (!file) throw new RequestError(0, "no_file", "");
  if (file.size > LARGEST_BYTES) throw new RequestError(0, "file_too_long", "");
  const text = await file.text();
  return { text, isOwn: isOwnBackup(text) };
}

/**
 * Our backup is JSON with a marker; a .vult file is Base64. This only decides what to ask; the core checks for itself.
 */
export function isOwnBackup(text: string): boolean {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null && "countersign" in content;
  } catch {
    return false;
  }
}

function vaultOf(
  name: string,
  { text, isOwn }: BackupFile,
  filePassword: string,
  password: NewPassword,
  needsNew: boolean,
): NewVault {
  const vault = { kind: "file" as const, name, file: text };
  if (isOwn && filePassword === "") throw new RequestError(0, "file_password_needed", "");
  // No vault here has a shorter one, and the core would report a weak new password.
  if (isOwn && strengthOf(filePassword).level === 0) throw new RequestError(0, "wrong_file_password", "");
  if (isOwn) return { ...vault, password: needsNew ? password.value() : filePassword, filePassword };
  return { ...vault, password: password.value(), ...(filePassword === "" ? {} : { filePassword }) };
}
