// Downloads a file that the core wrote.

import type { ExportedFile } from "../../generated/ExportedFile";
import { h } from "./element";

export function download({ fileName, text }: ExportedFile): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  h("a", { href: address, download: fileName }).click();
  URL.revokeObjectURL(address);
}
