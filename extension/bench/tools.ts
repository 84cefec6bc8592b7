// The toolbox compared with libraries that pages use for the same: `const tools = await window.tools`.

import { measureFetch, measureFirstUse, measureSearch, measureValidation } from "./measure/tools";

const tools = { measureFetch, measureFirstUse, measureSearch, measureValidation };

declare global {
  interface Window {
    tools: typeof tools;
  }
}
window.tools = tools;
