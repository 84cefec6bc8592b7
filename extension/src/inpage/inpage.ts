// The wallet as pages see it, in the page's own world. It decides nothing: it turns calls of standards into messages for
// the content script, and states that come back into events.

import mark from "../../icons/mark.svg";
import { startChannel } from "./channel";
import { startEthereum } from "./ethereum";
import { isOffered } from "../content/frame";
import { solana } from "./solana";
import { startStandard } from "./standard";
import { sui } from "./sui";

/** Whether the user wants `window.ethereum` set: there is one build of this script for each answer. */
declare const SET_ETHEREUM: boolean;

const icon = `data:image/svg+xml;base64,${mark}`;

try {
  if (isOffered(window)) {
    startChannel();
    startEthereum(icon, SET_ETHEREUM);
    startStandard(icon, solana);
    startStandard(icon, sui);
  }
} catch {
  // A page never sees an error of ours; it just finds no wallet.
}
