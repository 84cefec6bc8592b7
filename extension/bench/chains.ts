// The chains crate compared with wallet-core: `const chains = await window.chains`. Both modules are fetched first;
// only their use is timed.

import { measureChains, measureInstantiation } from "./measure/chains";

const chains = { measureChains, measureInstantiation };

declare global {
  interface Window {
    chains: typeof chains;
  }
}
window.chains = chains;
