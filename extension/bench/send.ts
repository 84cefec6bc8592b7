// viem on the same node, for comparison with a bundle: `const send = await window.send`.

import { measureSending } from "./measure/send";

const send = { measureSending };

declare global {
  interface Window {
    send: typeof send;
  }
}
window.send = send;
