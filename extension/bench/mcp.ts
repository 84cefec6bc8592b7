// Calls by the MCP project's own client, in a page: `const mcp = await window.mcp`.

import { measureCalls } from "./measure/mcp";

const mcp = { measureCalls };

declare global {
  interface Window {
    mcp: typeof mcp;
  }
}
window.mcp = mcp;
