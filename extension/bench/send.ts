// The peer of a bundle, on the same node: `const send = await window.send`.

import { measureSending } from "./measure/send";

const send = { measureSending };

declare global {
  interface Window {
    send: typeof send;
  }
}
window.send = send;
