// A picture that is part of the arguments (`data:`). One from the web is never loaded: its host would learn of it.

import { h } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";
import { textIn, type Component, type Fields } from "./component";

const EMBEDDED = /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;

export type Picture = { readonly kind: "embedded"; readonly source: string } | { readonly kind: "remote"; readonly address: string };

const NAMES = ["src", "url", "image", "dataUrl", "dataURL"];

/** Not a text to display: the address as it was given. */
export function pictureIn(input: Fields): Picture | undefined {
  const address = NAMES.map((name) => input[name]).find((value): value is string => typeof value === "string" && value !== "");
  if (address === undefined) return undefined;
  return EMBEDDED.test(address) ? { kind: "embedded", source: address } : { kind: "remote", address };
}

export const image: Component = ({ input, phase }) => {
  const picture = pictureIn(input);
  if (phase === "writing") return h("p", { class: "muted" }, t("message_image_writing"));
  if (!picture) return undefined;
  const caption = textIn(input, "caption", "title");
  const alt = textIn(input, "alt", "description") ?? caption ?? t("message_image");
  return h(
    "figure",
    { class: "tool-image", "data-testid": "tool-image", "data-kind": picture.kind },
    picture.kind === "embedded" ? h("img", { src: picture.source, alt }) : remote(picture.address, alt),
    caption !== undefined && h("figcaption", {}, caption),
  );
};

function remote(address: string, alt: string): HTMLElement {
  return h(
    "div",
    { class: "remote-image" },
    h("p", {}, alt),
    h("p", { class: "hint" }, t("message_image_remote")),
    h("code", {}, plain(address)),
  );
}
