// The wallet's part of a conformance scenario, run in a page of the extension: adds the server as the Tools page does, signs in
// where the server wants it, lists its tools and calls them. Returns {ok, log}.
const [{ scenario, url, context }, password] = args;

/** More than the suite lets a client try: that the wallet gives up before is its own doing. */
const MOST_SIGN_INS = 8;
const CALL_MILLIS = 20_000;
/** The URL that the suite expects where a client is named by a document (CIMD). */
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";

const log = [];
const note = (line, value) => log.push(value === undefined ? line : `${line} ${JSON.stringify(value)}`);
const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

async function api(method, path, body) {
  const init = { method, headers: { "content-type": "application/json" } };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(path, init);
  const text = await response.text();
  let value = null;
  try {
    value = text === "" ? null : JSON.parse(text);
  } catch {
    value = text;
  }
  return { status: response.status, value };
}

async function must(method, path, body) {
  const { status, value } = await api(method, path, body);
  if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(value)}`);
  return value;
}

/** What the suite gives a client before it begins. */
function credentials() {
  if (scenario === "auth/basic-cimd") return { clientMetadataUrl: CLIENT_DOCUMENT };
  const { client_id: clientId, client_secret: clientSecret } = context;
  return clientId === undefined ? {} : { clientId, clientSecret };
}

let serverId;
let signIns = 0;

const server = () => must("GET", `/api/mcp/servers/${serverId}`);

/** Signs in as the Tools page does. */
async function signIn() {
  if (++signIns > MOST_SIGN_INS) throw new Error("the server wants a sign-in again and again");
  const redirectUri = chrome.identity.getRedirectURL();
  const { authorizationUrl } = await must("POST", `/api/mcp/servers/${serverId}/sign-in`, { redirectUri });
  note("sign in at", authorizationUrl);
  const redirectUrl = await chrome.identity.launchWebAuthFlow({ url: authorizationUrl, interactive: true });
  await must("POST", `/api/mcp/servers/${serverId}/sign-in/finish`, { redirectUrl, password });
  note("signed in");
}

/** Lists the tools, with as many sign-ins as that takes. */
async function list() {
  for (;;) {
    const { status, value } = await api("POST", `/api/mcp/servers/${serverId}/refresh`);
    const now = await server();
    note(`refresh ${status}`, now.state);
    if (now.state.name === "ready") return now;
    if (now.state.name !== "sign_in_required") throw new Error(JSON.stringify(value ?? now.state));
    await signIn();
  }
}

/** The route of a tool in the store. */
async function routeOf(now, name) {
  const { tools } = await must("GET", `/tools/tools?bundleIDs=${now.bundleID}&includeDisabled=true&recommendedPageSize=100`);
  const record = tools.find((tool) => tool.impl?.tool === name);
  if (record === undefined) throw new Error(`the store has no ${name}`);
  return `/tools/bundles/${now.bundleID}/tools/${record.slug}/version/${record.version}`;
}

/** What a user fills in who leaves out what may be left out: the wallet adds the defaults. */
function content(schema) {
  const { properties = {}, required = [] } = schema ?? {};
  const missing = required.filter((name) => properties[name]?.default === undefined);
  return sample({ inputSchema: { properties, required: missing } });
}

async function answerPrompts() {
  const { prompts } = await must("GET", "/api/prompts");
  for (const prompt of prompts) {
    const { id, digest, kind } = prompt;
    const answer = { approve: true, digest };
    if (kind === "password_required") answer.password = password;
    if (kind === "elicitation") answer.content = content(prompt.schema);
    const { status, value } = await api("POST", `/api/prompts/${id}`, answer);
    note(`${kind} answered: ${status}`, status === 200 ? undefined : value);
  }
  return prompts.length;
}

/** Allows the definition, and begins a call. */
async function begin(now, name, args) {
  const tool = now.tools.find((tool) => tool.name === name);
  if (tool === undefined) throw new Error(`the server has no ${name}`);
  await must("POST", `/api/mcp/servers/${serverId}/tools/${encodeURIComponent(name)}/allow`, { digest: tool.digest });
  const call = { ended: false };
  call.result = api("POST", `${await routeOf(now, name)}/invoke`, { args }).finally(() => (call.ended = true));
  return call;
}

/** Waits for a call, and answers what it asks. */
async function finish(name, call) {
  for (const until = Date.now() + CALL_MILLIS; !call.ended && Date.now() < until; await sleep(50)) await answerPrompts();
  if (!call.ended) throw new Error(`${name} does not end`);
  const { status, value } = await call.result;
  note(`${name} ${status}`, value);
  return value;
}

/** Calls a tool, with as many sign-ins as that takes. */
async function call(name, args = {}) {
  for (;;) {
    const value = await finish(name, await begin(await server(), name, args));
    if (value?.ok !== false) return value;
    if ((await server()).state.name !== "sign_in_required") return value;
    await signIn();
  }
}

/** Arguments that a schema takes. */
function sample({ inputSchema, argSchema } = {}) {
  const values = { string: "us-west1", integer: 3, number: 5, boolean: true, array: [], object: {} };
  const { properties = {}, required = [] } = inputSchema ?? argSchema ?? {};
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type] ?? null]));
}

/** The schema as the store has it. */
const recordOf = async (now, name) => must("GET", await routeOf(now, name));

const SCENARIOS = {
  async tools_call() {
    await call("add_numbers", { a: 5, b: 3 });
  },
  // The unrelated tool is called while the other waits for the user.
  async "sep-2322-client-request-state"(now) {
    const waiting = await begin(now, "test_mrtr_echo_state", {});
    for (let n = 0; n < 100 && (await must("GET", "/api/prompts")).prompts.length === 0; n++) await sleep(50);
    const unrelated = await begin(now, "test_mrtr_unrelated", {});
    for (let n = 0; n < 100 && !unrelated.ended; n++) await sleep(50);
    note("test_mrtr_unrelated", unrelated.ended ? (await unrelated.result).value : "does not end");
    await finish("test_mrtr_echo_state", waiting);
    await call("test_mrtr_no_state");
    await call("test_mrtr_no_result_type");
  },
  // One argument is null where the schema says boolean. The wallet refuses that before it sends anything; here it is left out,
  // which must have the same headers.
  async "http-custom-headers"() {
    const given = (args) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
    for (const { name, arguments: args } of context.toolCalls) await call(name, given(args));
  },
  // All that is offered is called: a tool that should have been dropped would be among them.
  async "http-invalid-tool-headers"(now) {
    for (const { name, callableAs } of now.tools) if (callableAs) await call(name, sample(await recordOf(now, name)));
  },
  async "json-schema-ref-no-deref"() {},
  async "json-schema-2020-12-preservation"(now) {
    await call("json_schema_echo", { schema: (await recordOf(now, "json_schema_2020_12_tool")).argSchema });
  },
};

/** Every tool once. */
async function everything(now) {
  for (const { name, callableAs } of now.tools) if (callableAs) await call(name, sample(await recordOf(now, name)));
}

try {
  const name = `conformance ${Date.now()}`;
  const made = await must("POST", "/api/mcp/servers", { name, url, transport: "http", password, ...credentials() });
  serverId = made.id;
  await (SCENARIOS[scenario] ?? everything)(await list());
  return { ok: true, log };
} catch (error) {
  note(String(error?.message ?? error));
  return { ok: false, log };
} finally {
  if (serverId !== undefined) await api("DELETE", `/api/mcp/servers/${serverId}`, { password });
}
