// MCP servers: what changed in a definition, whose tool a call names, what is pasted, and what a server asks.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { McpServer } from "../generated/McpServer";
import type { McpTool } from "../generated/McpTool";
import { comparable, differenceOf, type Piece } from "../src/popup/mcp/difference";
import { toolOf } from "../src/popup/mcp/definition";
import { openable } from "../src/popup/prompt/elicitation";
import { inputOf, read } from "../src/popup/json/input";
import { formOf } from "../src/popup/json/schema";
import { pastedOf } from "../src/tools/mcp/import";
import { namesIn, stateWords } from "../src/tools/mcp/words";

const marked = (pieces: readonly Piece[]): string => pieces.map(({ text, isCommon }) => (isCommon ? text : `[${text}]`)).join("");

/** A changed description or schema is shown with its difference. */
it("a difference marks the words that are gone and those that came", () => {
  const { before, after } = differenceOf("Reads a file of the user.", "Reads a file of the user. Then sends it away.");
  assert.equal(marked(before), "Reads a file of the user.");
  assert.equal(marked(after), "Reads a file of the user.[ Then sends it away.]");
  const swapped = differenceOf("send to Alice", "send to Mallory");
  assert.deepEqual([marked(swapped.before), marked(swapped.after)], ["send to [Alice]", "send to [Mallory]"]);
  assert.deepEqual(differenceOf("", "x"), { before: [], after: [{ text: "x", isCommon: false }] });
});

it("values are compared as text or as JSON in one order", () => {
  const before = { type: "object", properties: { b: { type: "string" }, a: {} } };
  const after = { properties: { a: {}, b: { type: "string" } }, type: "object" };
  assert.equal(comparable(before), comparable(after));
  assert.deepEqual([comparable(null), comparable("x"), comparable([1])], ["", "x", "[\n  1\n]"]);
});

it("long texts are compared by lines, and every character is shown", () => {
  const lines = Array.from({ length: 800 }, (_, i) => `line ${i} of many`);
  const before = lines.join("\n");
  const after = [...lines.slice(0, 400), "new", ...lines.slice(400)].join("\n");
  const sides = differenceOf(before, after);
  assert.equal(sides.before.map(({ text }) => text).join(""), before);
  assert.equal(sides.after.map(({ text }) => text).join(""), after);
  assert.deepEqual(sides.after.filter(({ isCommon }) => !isCommon).map(({ text }) => text), ["new\n"]);
});

function tool(parts: Partial<McpTool>): McpTool {
  return { name: "echo", description: "", digest: "d", standing: { name: "new" }, ...parts };
}

function server(parts: Partial<McpServer>): McpServer {
  return {
    ...{ id: "s", name: "Files", url: "https://a.example/mcp", transport: "http", isEnabled: true, bundleID: "b" },
    ...{ withoutOrigin: false, state: { name: "new" }, tools: [], listedAt: null, staleAt: null },
    ...parts,
  };
}

it("a call names a server's tool", () => {
  const servers = [server({ id: "1", tools: [tool({})] }), server({ id: "2", tools: [tool({ callableAs: "files__echo" })] })];
  assert.equal(toolOf(servers, { tool: "files__echo", type: "files__echo" })?.server.id, "2");
  assert.equal(toolOf(servers, { tool: null, type: "files__echo" })?.server.id, "2");
  assert.equal(toolOf(servers, { tool: "echo", type: "echo" }), undefined);
});

/** T004-69, T004-70: servers as specification 004 writes them. */
it("pasted JSON is a configuration, a list, or MCP servers", () => {
  const config = { name: "confirmAction", executionType: "space" };
  assert.deepEqual(pastedOf(config), { configs: [config], servers: [] });
  assert.deepEqual(pastedOf([config, config])?.configs.length, 2);
  const github = { name: "github-tools", url: "https://mcp.github.example", transport: "http", allowedTools: ["list_prs"] };
  assert.deepEqual(pastedOf({ mcp: { servers: [github] } }), { configs: [], servers: [github] });
  assert.deepEqual(pastedOf({ tools: [config], mcp: { servers: [github, 7] } }), { configs: [config], servers: [github] });
  const program = { name: "files", transport: "stdio", command: "npx" };
  assert.deepEqual(pastedOf({ mcp: { servers: [program] } })?.servers, [{ name: "files", url: "", transport: "stdio" }]);
  for (const other of [7, "x", null, {}, { mcp: {} }]) assert.equal(pastedOf(other), undefined);
  assert.deepEqual(namesIn(" a, b\nb c "), ["a", "b", "c"]);
});

it("a server's state is a sentence", () => {
  const words = (parts: Partial<McpServer>): string => stateWords(server(parts));
  assert.equal(words({}), "Not asked yet.");
  assert.equal(words({ state: { name: "ready" }, tools: [tool({})] }), "It offers 1 tool.");
  assert.equal(words({ state: { name: "failed", error: "host_unreachable: no" } }).startsWith("It could not be used: "), true);
});

/** M13: an address is opened only if it is plainly one of the web. */
it("an address that hides where it leads is not opened", () => {
  assert.equal(openable("https://login.example/a?b")?.host, "login.example");
  assert.equal(openable("http://127.0.0.1:9000/a")?.host, "127.0.0.1:9000");
  const refused = ["http://a.example", "https://bank.example@evil.example/", "javascript:alert(1)", "data:text/html,x", "file:///etc", "x"];
  assert.deepEqual(refused.map(openable), refused.map(() => undefined));
  assert.equal(openable("https://аpple.example/")?.host, "xn--pple-43d.example", "letters that look alike are written out");
});

/** M13: the kinds of fields that a server may ask for. */
it("an elicitation's schema becomes fields with titles and defaults", () => {
  const schema = {
    type: "object",
    properties: {
      mail: { type: "string", format: "email" },
      colour: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "g" },
      size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
      several: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
      count: { type: "integer", default: 3 },
    },
    required: ["mail"],
  };
  const field = formOf(schema);
  assert.equal(field.kind, "object");
  const members = field.kind === "object" ? field.members.map(({ field }) => field) : [];
  assert.deepEqual(members.map(({ kind }) => kind), ["text", "choice", "choice", "list", "number"]);
  assert.deepEqual(members.flatMap((one) => (one.kind === "choice" ? one.options.map(({ label }) => label) : [])), ["Red", "Green", "Small"]);
  const start = inputOf(field, undefined) as Record<string, string>;
  assert.deepEqual(read(field, { ...start, mail: "a@b.example" }, true).value, { mail: "a@b.example", colour: "g", count: 3 });
  assert.deepEqual(read(field, start, true).misfits, [{ pointer: "/mail", error: "required" }]);
});
