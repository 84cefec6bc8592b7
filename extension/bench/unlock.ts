// Vaults unlocked with their passwords, compared with browser-passworder: `const unlock = await window.unlock`. A
// separate page that loads only the signer, as the worker does.

import { measureUnlock, sealBoth } from "./measure/unlock";

const unlock = { measureUnlock, sealBoth };

declare global {
  interface Window {
    unlock: typeof unlock;
  }
}
window.unlock = unlock;
