// The chains crate against wallet-core: `const chains = await window.chains`. Each side's module is fetched first;
// what is timed is what a wallet does with it.

import { measureChains, measureInstantiation } from "./measure/chains";

const chains = { measureChains, measureInstantiation };

declare global {
  interface Window {
    chains: typeof chains;
  }
}
window.chains = chains;
