// A vault from a backup file: our own, which keeps its password, or a .vult, which gets one for this computer.

import type { NewVault } from "../popup/api";
import { h } from "../popup/element";
import { field, forget, secretField, secretInput } from "../popup/field";
import { RequestError } from "../popup/request";
import { NewPassword } from "../popup/vaults/new-password";
import { strengthOf } from "../popup/vaults/strength";
import { makingStep } from "./making";
import type { Path, Step } from "./step";

/** As much as the core reads. */
const LARGEST_BYTES = 4 * 1024 * 1024;

export function fileStep(path: Path): Step {
  const chooser = h("input", {
    type: "file",
    accept: ".json,.vult,.txt",
    required: true,
    "data-testid": "onboarding-file",
  });
  const filePassword = secretInput({ "data-testid": "onboarding-file-password" });
  const password = new NewPassword("onboarding-password", "New password");
  const hint = h("span", { role: "status" });
  const foreign = h(
    "fieldset",
    { hidden: true, disabled: true },
    h("legend", {}, "A password for this computer"),
    h("p", { class: "hint" }, "It protects the vault here, and may be the same as the file's."),
    password.element,
  );
  const show = (kind: "own" | "foreign" | undefined): void => {
    hint.textContent =
      kind === "own"
        ? "A backup of Countersign. Its password stays the vault's password here."
        : "Leave it empty if the file has none.";
    foreign.hidden = foreign.disabled = kind !== "foreign";
  };
  const look = (): Promise<void> =>
    read(chooser).then(
      ({ isOwn }) => show(isOwn ? "own" : "foreign"),
      () => show(undefined),
    );
  chooser.addEventListener("change", () => void look());
  show(undefined);

  return makingStep(
    {
      title: "Import a backup file",
      lead: "A file that Countersign saved for you, or a .vult file. It is read on this computer only.",
      body: [field("File", chooser), secretField("The file's password", filePassword, hint), foreign],
      submit: ["Import vault", "Opening the file…"],
      read: async (name) => vaultOf(name, await read(chooser), filePassword.value, password),
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

/** Ours is JSON that says so; a .vult is Base64. Only for what to ask: the core looks for itself. */
export function isOwnBackup(text: string): boolean {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null && "countersign" in content;
  } catch {
    return false;
  }
}

function vaultOf(name: string, { text, isOwn }: BackupFile, filePassword: string, password: NewPassword): NewVault {
  const vault = { kind: "file" as const, name, file: text };
  if (isOwn && filePassword === "") throw new RequestError(0, "file_password_needed", "");
  // No vault here ever had a shorter one, and the core would speak of a new password.
  if (isOwn && strengthOf(filePassword).level === 0) throw new RequestError(0, "wrong_file_password", "");
  if (isOwn) return { ...vault, password: filePassword, filePassword };
  return { ...vault, password: password.value(), ...(filePassword === "" ? {} : { filePassword }) };
}
