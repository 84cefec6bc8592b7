// What the extension may load, reach and ask for: nothing without a reason.

import assert from "node:assert/strict";
import { it } from "node:test";
import manifest from "../../manifest.json";

/** Every source that a directive may name, with the reason. A directive is absent, or stricter, or fails. */
const NEEDED: Record<string, Record<string, string>> = {
  "default-src": { "'none'": "what is not named below is loaded from nowhere" },
  "script-src": {
    "'self'": "the scripts of the package",
    "'wasm-unsafe-eval'": "compiling the wasm modules of the package; no text becomes code",
  },
  "style-src": { "'self'": "the style sheets of the package" },
  "img-src": {
    "'self'": "the icons of the package",
    "data:": "pictures that are part of a message; one that is loaded would tell where it is looked at",
  },
  "connect-src": {
    "'self'": "pages ask the worker, which serves /api on this origin; the worker loads its modules",
    "https:": "the agent and the nodes are wherever the user has them; the browser asks the user for each host",
    "http://127.0.0.1:*": "an agent or a node on this computer",
    "http://localhost:*": "an agent or a node on this computer",
  },
  "base-uri": { "'none'": "no page moves its own links" },
  "form-action": { "'none'": "no form is sent anywhere; scripts handle them" },
  "frame-ancestors": { "'none'": "no site shows our pages under its own" },
};

/** Directives that `default-src` does not stand in for. */
const REQUIRED = ["default-src", "base-uri", "form-action", "frame-ancestors"];

const PERMISSIONS: Record<string, string> = {
  storage: "keys of open vaults, in memory only (storage.session)",
  unlimitedStorage: "the journal is not thrown away when the disk is full",
  alarms: "deadlines wake a stopped worker",
  idle: "vaults lock when the user has left",
  notifications: "a question that waits is told",
  sidePanel: "the wallet beside a page",
  scripting: "the provider is put into the pages where the user wants it",
  activeTab: "the popup names the page that the user looks at, to be used there",
  identity: "a tool's service is shown in a window of the browser, which comes back with its answer",
};

/** Asked for when the user wants what needs it. */
const OPTIONAL: Record<string, string> = {
  declarativeNetRequestWithHostAccess: "an MCP server that refuses extensions gets requests without the Origin header",
};

type Policy = Map<string, string[]>;

function parse(policy: string): Policy {
  const directives = policy.split(";").map((directive) => directive.trim().split(/\s+/));
  const named = directives.map(([name = "", ...sources]): [string, string[]] => [name, sources]);
  assert.equal(new Set(named.map(([name]) => name)).size, named.length, "browsers ignore a directive that comes again");
  return new Map(named);
}

/** What a policy allows beyond what is needed. */
function excess(policy: Policy): string[] {
  const missing = REQUIRED.filter((name) => !policy.has(name)).map((name) => `${name} is missing`);
  const surplus = [...policy].flatMap(([name, sources]) =>
    sources.filter((source) => !Object.hasOwn(NEEDED[name] ?? {}, source)).map((source) => `${name} ${source}`),
  );
  return [...missing, ...surplus];
}

it("the content security policy allows what is needed, and nothing else", () => {
  assert.deepEqual(Object.keys(manifest.content_security_policy), ["extension_pages"]);
  const policy = parse(manifest.content_security_policy.extension_pages);
  assert.deepEqual(excess(policy), []);
  const unsafe = [...policy.values()].flat().filter((source) => source.includes("unsafe"));
  assert.deepEqual(unsafe, ["'wasm-unsafe-eval'"]);
  const scripts = policy.get("script-src") ?? [];
  assert.ok(scripts.length > 0 && scripts.every((source) => source.startsWith("'")), "no host, no scheme, no wildcard");
});

it("a laxer policy is noticed", () => {
  const now = manifest.content_security_policy.extension_pages;
  const laxer = [
    now.replace("default-src 'none'; ", ""),
    now.replace("default-src 'none'", "default-src 'self'"),
    now.replace("script-src 'self'", "script-src 'self' https://cdn.example"),
    now.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
    now.replace("img-src 'self'", "img-src 'self' https:"),
    now.replace("connect-src 'self'", "connect-src * 'self'"),
    now.replace("; frame-ancestors 'none'", ""),
    `${now}; object-src 'self'`,
  ];
  for (const policy of laxer) {
    assert.notEqual(policy, now);
    assert.notDeepEqual(excess(parse(policy)), [], policy);
  }
});

it("every permission has its reason, and hosts are asked for one by one", () => {
  assert.deepEqual([...manifest.permissions].sort(), Object.keys(PERMISSIONS).sort());
  assert.deepEqual(manifest.optional_permissions, Object.keys(OPTIONAL));
  assert.deepEqual(manifest.host_permissions, ["http://127.0.0.1/*", "http://localhost/*"]);
  assert.deepEqual(manifest.optional_host_permissions, ["https://*/*"]);
  // Other extensions may send a message, which the core takes from those that the user named. No page can: it would know
  // by that alone that the wallet is here.
  assert.deepEqual(manifest.externally_connectable, { ids: ["*"] });
  const doors = ["web_accessible_resources", "content_scripts", "sandbox"];
  assert.deepEqual(Object.keys(manifest).filter((key) => doors.includes(key)), []);
});
