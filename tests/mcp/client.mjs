// What the conformance suite starts as the client of a scenario. The wallet runs in a browser that is open already: this tells
// it the scenario, prints what the wallet did, and ends as the wallet says.
import { createConnection } from "node:net";

const [port, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT, MCP_CONFORMANCE_PROTOCOL_VERSION } = process.env;

const socket = createConnection(Number(port), "127.0.0.1");
const context = MCP_CONFORMANCE_CONTEXT ? JSON.parse(MCP_CONFORMANCE_CONTEXT) : {};
const scenario = { url, scenario: MCP_CONFORMANCE_SCENARIO, version: MCP_CONFORMANCE_PROTOCOL_VERSION, context };
socket.write(JSON.stringify(scenario) + "\n");

let text = "";
socket.setEncoding("utf8");
socket.on("data", (piece) => (text += piece));
socket.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
socket.on("end", () => {
  const { ok, log } = JSON.parse(text || '{"ok":false,"log":["the browser is gone"]}');
  for (const line of log) console.log(line);
  process.exit(ok ? 0 : 1);
});
