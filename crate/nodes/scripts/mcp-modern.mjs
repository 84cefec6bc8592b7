// An MCP server of the revision 2026-07-28 on the project's own library. It counts what arrives, so that a test sees that
// nothing was called twice, and its definitions can be changed while it runs.
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer } from "node:http";
import { localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { Server, createMcpHandler } from "@modelcontextprotocol/server";
import { serve } from "./lines.mjs";
import { DEFINITIONS, handlers } from "./mcp-modern/tools.mjs";

console.log = console.error;

const settings = { page_size: 0, ttl_millis: 0, refuses_origin: false, legacy: true };
const definitions = new Map(DEFINITIONS.map((definition) => [definition.name, definition]));
/** What arrived, oldest first. */
const requests = [];
/** How often each tool ran, and how often its caller left before its end. */
const counts = { calls: {}, left: {} };
const gate = { waiting: [], release: () => gate.waiting.splice(0).forEach((go) => go()) };
/** The answer that a tool is part of. */
const exchange = new AsyncLocalStorage();

const validateOrigin = localhostOriginValidation();
let handler;

/** The cursor of the second page is empty, which is a cursor like others. */
const cursorOf = (page) => (page === 1 ? "" : `page-${page}`);

function list({ params }) {
  const all = [...definitions.values()];
  const size = settings.page_size || all.length;
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = params?.cursor === undefined ? 0 : Array.from({ length: pages }, (_, n) => cursorOf(n)).indexOf(params.cursor);
  if (page < 0 || (page === 0 && params?.cursor !== undefined)) {
    throw Object.assign(new Error(`there is no page ${params.cursor}`), { code: -32602 });
  }
  const more = page + 1 < pages ? { nextCursor: cursorOf(page + 1) } : {};
  return { tools: all.slice(page * size, (page + 1) * size), ...more };
}

async function call({ params }, context) {
  const { name } = params;
  counts.calls[name] = (counts.calls[name] ?? 0) + 1;
  const run = handlers[name];
  if (!run || !definitions.has(name)) throw Object.assign(new Error(`there is no tool ${name}`), { code: -32602 });
  let ended = false;
  context.mcpReq.signal.addEventListener("abort", () => {
    if (!ended) counts.left[name] = (counts.left[name] ?? 0) + 1;
  });
  try {
    return await run(params.arguments ?? {}, { ...context, gate, cut: () => exchange.getStore()?.socket.destroy() });
  } finally {
    ended = true;
  }
}

/** What a header says of a parameter that must be sent as one, unless it says the same. */
function mismatch({ headers }, body) {
  if (body?.method !== "tools/call" || headers["mcp-protocol-version"] !== "2026-07-28") return undefined;
  const properties = definitions.get(body.params?.name)?.inputSchema.properties ?? {};
  for (const [name, { "x-mcp-header": header }] of Object.entries(properties)) {
    const value = body.params.arguments?.[name];
    if (header === undefined || value === undefined || value === null) continue;
    const sent = headers[`mcp-param-${header.toLowerCase()}`];
    const encoded = sent?.match(/^=\?base64\?(.*)\?=$/)?.[1];
    const said = encoded === undefined ? sent : Buffer.from(encoded, "base64").toString();
    if (said !== String(value)) return `Mcp-Param-${header} says ${said}`;
  }
  return undefined;
}

function instance() {
  const hint = { ttlMs: settings.ttl_millis, cacheScope: "private" };
  const server = new Server(
    { name: "modern", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } }, cacheHints: { "tools/list": hint } },
  );
  server.setRequestHandler("tools/list", list);
  server.setRequestHandler("tools/call", call);
  return server;
}

async function answer(request, response, mcp) {
  let text = "";
  for await (const piece of request) text += piece;
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  requests.push({
    http: request.method,
    method: body?.method ?? null,
    tool: body?.method === "tools/call" ? (body.params?.name ?? null) : null,
    id: body?.id ?? null,
    headers: request.headers,
    body: body ?? null,
  });
  if (settings.refuses_origin && !validateOrigin(request, response)) return;
  const message = mismatch(request, body);
  if (message) {
    const error = JSON.stringify({ jsonrpc: "2.0", id: body.id, error: { code: -32020, message } });
    return response.writeHead(400, { "content-type": "application/json" }).end(error);
  }
  exchange.run(response, () => mcp(request, response, body));
}

async function start(options) {
  Object.assign(settings, options);
  handler = createMcpHandler(instance, { legacy: settings.legacy ? "stateless" : "reject" });
  const mcp = toNodeHandler(handler);
  const server = createServer((request, response) => answer(request, response, mcp));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/mcp` };
}

const commands = {
  start,
  set: (changes) => (Object.assign(settings, changes), {}),
  /** Changes a tool's definition; those who listen are told. */
  redefine({ tool, changes }) {
    if (!definitions.has(tool)) throw new Error(`there is no tool ${tool}`);
    definitions.set(tool, { ...definitions.get(tool), ...changes });
    handler.notify.toolsChanged();
    return {};
  },
  /** Lets the calls of `hold` end. */
  release: () => (gate.release(), {}),
  counts: () => counts,
  requests: () => ({ requests }),
};

await serve(({ command, ...question }) => commands[command](question));
