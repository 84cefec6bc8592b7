// The reference server of the MCP project, `@modelcontextprotocol/server-everything`, as it is. It speaks the revisions up to
// 2025-11-25, with sessions; in the mode `sse` only HTTP+SSE of 2024.
import { once } from "node:events";
import { Server } from "node:net";
import { serve } from "./lines.mjs";

const PATHS = { streamableHttp: "/mcp", sse: "/sse" };

// Output is for answers.
console.log = console.error;

// The server names only a port, which is every interface. It must not be reachable from outside this machine.
const { listen } = Server.prototype;
const listening = new Promise((resolve) => {
  Server.prototype.listen = function (port, ...others) {
    resolve(this);
    return listen.call(this, Number(port), "127.0.0.1", ...others);
  };
});

async function start({ mode }) {
  if (!(mode in PATHS)) throw new Error(`there is no mode ${mode}`);
  process.env.PORT = "0";
  await import(`../node_modules/@modelcontextprotocol/server-everything/dist/transports/${mode}.js`);
  const server = await listening;
  if (!server.listening) await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}${PATHS[mode]}` };
}

await serve(({ command, ...question }) => ({ start })[command](question));
