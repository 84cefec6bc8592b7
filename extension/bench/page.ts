// What suites and benches call from outside: `const harness = await window.harness`.

import init, * as module from "../generated/harness/harness.js";
import { measureContacts } from "./measure/contacts";
import { measureSse } from "./measure/sse";

const harness = init({ module_or_path: "harness.wasm" }).then(() => ({ ...module, measureContacts, measureSse }));

declare global {
  interface Window {
    harness: typeof harness;
  }
}
window.harness = harness;
