// A wallet that is ready for a dapp: Chromium with Countersign, a vault that is open and has money, and a node that is its
// Ethereum. The same fixtures as the Rust library; see docs/webdriver.md.

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize, sep } from "node:path";
import { Anvil } from "./anvil.mjs";
import { Driver, Tab, TIMEOUT, until } from "./driver.mjs";

export { Anvil, TIMEOUT, until };

/** The recovery phrase that development nodes use: Anvil gives its accounts 10 000 coins each. */
export const PHRASE = "test test test test test test test test test test test junk";
export const PASSWORD = "correct horse battery staple";

/** How long a request may take that waits for a chain. */
const CHAIN_TIMEOUT = 60_000;

/** The wallet refused a request of a page. */
export class RpcError extends Error {
  constructor(method, { code, message, data }) {
    super(`${method}: ${code} ${message}`);
    this.code = code;
    this.data = data;
  }
}

/** A wallet as a user of dapps has it. No page of it is open: its window opens by itself when a dapp asks. */
export class Wallet {
  #driver;
  #id;
  #profile;
  #password;

  /**
   * Starts Chromium with the built extension and a node for each chain, and makes the vault.
   * @param {import("./index.d.ts").WalletOptions} options
   */
  static async launch(options = {}) {
    const { headless = true, phrase = PHRASE, password = PASSWORD, chains = { Ethereum: 1 }, setEthereum = true } = options;
    const wallet = new Wallet();
    try {
      const extension = realpathSync(options.extension ?? built());
      wallet.nodes = {};
      for (const [name, chainId] of Object.entries(chains)) wallet.nodes[name] = await Anvil.start(chainId);
      wallet.#profile = mkdtempSync(join(tmpdir(), "countersign-profile-"));
      wallet.#password = password;
      wallet.#id = extensionId(extension);
      wallet.#driver = await Driver.start(chromiumArguments(extension, wallet.#profile, headless));
      wallet.address = await wallet.#prepare(phrase, setEthereum);
      return wallet;
    } catch (error) {
      await wallet.end();
      throw error;
    }
  }

  /** The node of Ethereum, or of the first chain. */
  get node() {
    return Object.values(this.nodes)[0];
  }

  async #prepare(phrase, setEthereum) {
    const page = await this.#page();
    const ask = (...request) => fetchFrom(page, ...request);
    const endpoints = Object.fromEntries(Object.entries(this.nodes).map(([name, { url }]) => [name, { url }]));
    // Before there is a vault, nothing asks for its password.
    await ask("PATCH", "/api/settings", { endpoints, pages: { mode: "all", setEthereum } });
    const vault = { kind: "local", name: "Main", password: this.#password, mnemonic: phrase, passphrase: "" };
    await ask("POST", "/api/vaults", vault);
    await ask("POST", "/api/vaults/active/unlock", { password: this.#password, minutes: 60 });
    const chains = Object.keys(this.nodes).map((chain) => ({ chain }));
    const add = { id: "chains", type: "add_chain", auto_execute: true, params: { chains } };
    const { results } = await ask("POST", "/api/actions", { actions: [add] });
    await page.close();
    return results[0].data.results[0].address;
  }

  extensionUrl(path) {
    return `chrome-extension://${this.#id}/${path}`;
  }

  /** Opens a dapp in a new tab, and waits until it finds the wallet. */
  async openDapp(url) {
    const dapp = new Dapp(await this.#driver.open(url));
    await until("the page to find the wallet", () => dapp.hasProvider());
    return dapp;
  }

  /** The wallet's windows. */
  async windows() {
    const tabs = await this.#driver.tabs();
    const found = [];
    for (const tab of tabs) {
      const url = await tab.url().catch(() => "");
      if (url.startsWith(this.extensionUrl("approve.html"))) found.push(tab);
    }
    return found;
  }

  /** Waits for the wallet's window with a prompt that was not answered yet. */
  prompt() {
    return until("a prompt of the wallet", async () => {
      const windows = await this.windows();
      for (const window of windows) if (await window.run(ASKING).catch(() => false)) return window;
      throw new Error(`${windows.length} windows of the wallet, none that asks`);
    });
  }

  /** Waits for the next prompt and approves it by a click; types the password if the vault was locked. */
  async approve() {
    const window = await this.prompt();
    if (await window.run("return document.querySelector('[data-testid=prompt-password]') !== null")) {
      await window.write("[data-testid=prompt-password]", this.#password);
      return answer(window, "prompt-submit");
    }
    return answer(window, "prompt-approve");
  }

  /** Waits for the next prompt and rejects it by a click. */
  async reject() {
    return answer(await this.prompt(), "prompt-reject");
  }

  /** Stops the wallet's service worker, as the browser does when it likes. */
  async killWorker() {
    const [first] = await this.#driver.tabs();
    const { targetInfos } = await first.cdp("Target.getTargets");
    const isOurs = ({ type, url }) => type === "service_worker" && url.startsWith(this.extensionUrl(""));
    const worker = targetInfos.find(isOurs);
    if (!worker) return false;
    const page = (await this.windows())[0];
    if (page) {
      await page.cdp("ServiceWorker.enable");
      await page.cdp("ServiceWorker.stopAllWorkers");
    } else await first.cdp("Target.closeTarget", { targetId: worker.targetId });
    return true;
  }

  /** A request to the wallet's own API (docs/api.md), from a page that is closed again. */
  async api(method, path, body) {
    const page = await this.#page();
    try {
      return await fetchFrom(page, method, path, body);
    } finally {
      await page.close();
    }
  }

  /** Ends the connection of a page, as a user does in the settings. */
  async revoke(origin) {
    await this.api("DELETE", `/api/connections/${encodeURIComponent(origin)}`);
  }

  async #page() {
    const page = await this.#driver.open(this.extensionUrl("manifest.json"));
    await until("the worker to control the page", () => page.run("return Boolean(navigator.serviceWorker?.controller)"));
    return page;
  }

  /** Ends the browser and the nodes. */
  async end() {
    await this.#driver?.end();
    for (const node of Object.values(this.nodes ?? {})) node.stop();
    if (this.#profile) rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  async [Symbol.asyncDispose]() {
    await this.end();
  }
}

/** Finds the wallet by EIP-6963 and keeps it with the requests that were begun, out of the page's way. */
const PROVIDER = `
  const kept = (window[Symbol.for("countersign-webdriver")] ??= { requests: [], events: [] });
  if (!kept.provider) {
    const heard = ({ detail }) => {
      if (detail?.info?.rdns !== "dev.countersign" || kept.provider) return;
      kept.provider = detail.provider;
      for (const name of ["connect", "disconnect", "accountsChanged", "chainChanged", "message"])
        kept.provider.on(name, (data) => kept.events.push({ name, data: data instanceof Error ? { code: data.code } : data ?? null }));
    };
    addEventListener("eip6963:announceProvider", heard);
    dispatchEvent(new Event("eip6963:requestProvider"));
    removeEventListener("eip6963:announceProvider", heard);
  }
`;

const BEGIN = `${PROVIDER}
  const [method, params] = args;
  const entry = { answers: 0 };
  const plain = (value) => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
  kept.provider.request(params === null ? { method } : { method, params }).then(
    (result) => { entry.result = plain(result); entry.answers += 1; },
    ({ code, message, data }) => { entry.error = plain({ code, message, data }); entry.answers += 1; },
  );
  return kept.requests.push(entry) - 1;`;

/** A page that talks to the wallet: `press`, `write`, `text`, `textThat`, `run` of a tab, and requests. */
export class Dapp {
  constructor(tab) {
    this.tab = tab;
    for (const name of ["press", "write", "text", "textThat", "run", "reload", "goto", "close"]) this[name] = tab[name].bind(tab);
  }

  hasProvider() {
    return this.tab.run(`${PROVIDER} return kept.provider !== undefined`);
  }

  /** Sends a request without waiting: meanwhile it can be approved. `await request.answer()` waits for it. */
  async begin(method, params = null) {
    const index = await this.tab.run(BEGIN, method, params);
    const entry = () => this.tab.run(`${PROVIDER} return kept.requests[args[0]]`, index);
    const ended = async () => {
      const found = await entry();
      return found.answers > 0 && found;
    };
    return {
      answers: async () => (await entry()).answers,
      answer: async () => {
        const { result, error } = await until(`the answer to ${method}`, ended, CHAIN_TIMEOUT);
        if (error) throw new RpcError(method, error);
        return result;
      },
    };
  }

  /** Sends a request and waits for its answer; a refusal is thrown as RpcError. */
  async request(method, params = null) {
    return (await this.begin(method, params)).answer();
  }

  /** The provider's events since the page found it: `{name, data}`. */
  events() {
    return this.tab.run(`${PROVIDER} return kept.events`);
  }

  /** Waits until a batch of calls (EIP-5792) has this status. */
  waitForStatus(id, status) {
    return until(
      `the calls ${id} to have the status ${status}`,
      async () => {
        const calls = await this.request("wallet_getCallsStatus", [id]);
        if (calls.status === status) return calls;
        throw new Error(JSON.stringify(calls));
      },
      CHAIN_TIMEOUT,
    );
  }
}

/** Serves the files of a folder on a free port of 127.0.0.1. */
export async function serve(folder) {
  const root = realpathSync(folder);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = normalize(join(root, path.endsWith("/") ? `${path}index.html` : path));
    if (!file.startsWith(root + sep) || !existsSync(file)) return response.writeHead(404).end("not found");
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" });
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: (path) => `${origin}/${path.replace(/^\//, "")}`,
    end: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

/** Whether a prompt is shown whose buttons were not pressed from here; the page makes new buttons for the next. */
const ASKING = `
  const all = [...document.querySelectorAll("[data-testid=prompt-approve], [data-testid=prompt-submit], [data-testid=prompt-reject]")];
  return all.length > 0 && !all.some((button) => button.hasAttribute("data-webdriver-pressed"));`;

async function answer(window, testId) {
  const selector = `[data-testid=${testId}]`;
  const ready = "const b = document.querySelector(args[0]); return b && b.getAttribute('aria-disabled') !== 'true'";
  await until(`${testId} to be enabled`, () => window.run(ready, selector));
  await window.run("document.querySelector(args[0]).setAttribute('data-webdriver-pressed', '')", selector);
  await window.press(selector);
}

async function fetchFrom(page, method, path, body = null) {
  const script = `
    const [method, path, body] = args;
    const init = body === null ? { method } : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(path, init);
    return [response.status, await response.text()];`;
  const [status, text] = await page.run(script, method, path, body);
  if (status < 200 || status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** The extension that COUNTERSIGN_EXTENSION names, or the one that `cargo xtask build` made beside this package. */
function built() {
  const beside = join(import.meta.dirname, "../../dist/extension");
  const folder = process.env.COUNTERSIGN_EXTENSION ?? beside;
  if (!existsSync(folder)) throw new Error(`there is no extension at ${folder}: run cargo xtask build, or set COUNTERSIGN_EXTENSION`);
  return folder;
}

/** Chromium derives the id from the folder's path: the first 16 bytes of its SHA-256, digits 0–f written a–p. */
function extensionId(folder) {
  const digits = createHash("sha256").update(folder).digest("hex").slice(0, 32);
  return [...digits].map((digit) => String.fromCharCode(97 + parseInt(digit, 16))).join("");
}

function chromiumArguments(extension, profile, headless) {
  return [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=DisableLoadExtensionCommandLineSwitch",
    ...(headless ? ["--headless=new"] : []),
    "--window-size=1000,800",
    `--load-extension=${extension}`,
    `--user-data-dir=${profile}`,
  ];
}
