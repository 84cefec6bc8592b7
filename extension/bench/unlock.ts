// Vaults opened with their passwords, against browser-passworder: `const unlock = await window.unlock`. A page of its own
// with nothing in it but the signer, which is all that the worker loads for this.

import { measureUnlock, sealBoth } from "./measure/unlock";

const unlock = { measureUnlock, sealBoth };

declare global {
  interface Window {
    unlock: typeof unlock;
  }
}
window.unlock = unlock;
