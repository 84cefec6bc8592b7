// ZIP files of bundles: saved by the browser, read from the user's choice.

import { h } from "../popup/element";
import { RequestError } from "../popup/request";
import type { ExportedZip } from "./api";

const MAX_BYTES = 16 * 1024 * 1024;
const CHUNK = 32_768;

export function saveZip({ fileName, base64 }: ExportedZip): void {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
  h("a", { href: address, download: fileName }).click();
  URL.revokeObjectURL(address);
}

export async function readBase64(file: Blob): Promise<string> {
  if (file.size > MAX_BYTES) throw new RequestError(0, "body_too_large", "");
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
