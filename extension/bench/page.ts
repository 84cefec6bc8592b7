// The entry points for suites and benches: `const harness = await window.harness`.

import init, * as module from "../generated/harness/harness.js";
import { measureContacts } from "./measure/contacts";
import { measurePolicy } from "./measure/policy";
import { measureSeal } from "./measure/seal";
import { measureSse } from "./measure/sse";

const measures = { measureContacts, measurePolicy, measureSeal, measureSse };
const harness = init({ module_or_path: "harness.wasm" }).then(() => ({ ...module, ...measures }));

declare global {
  interface Window {
    harness: typeof harness;
  }
}
window.harness = harness;
