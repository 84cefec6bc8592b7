// As much of the WebDriver protocol as the fixtures need, over ChromeDriver: a session, its tabs, their scripts and elements.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The key of an element in an answer of the driver. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** For steps that take milliseconds on an idle machine. */
export const TIMEOUT = 15_000;

/** Polls until `look` gives something; says what it waited for and what it saw last. A failed look is no answer yet. */
export async function until(what, look, timeout = TIMEOUT) {
  const deadline = Date.now() + timeout;
  let last = "nothing";
  while (Date.now() < deadline) {
    try {
      const found = await look();
      if (found !== undefined && found !== null && found !== false) return found;
      last = String(found);
    } catch (error) {
      last = error.message;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`waited ${timeout} ms for ${what}; last seen: ${last}`);
}

/** One browser with its driver. */
export class Driver {
  #process;
  #session;

  constructor(process, session) {
    this.#process = process;
    this.#session = session;
  }

  /** Starts ChromeDriver on a free port, and Chromium with these arguments. */
  static async start(args) {
    const process = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "ignore"] });
    const failed = new Promise((_, reject) => {
      process.once("error", (error) => reject(new Error(`chromedriver did not start: ${error.message}`)));
      process.once("exit", () => reject(new Error("chromedriver ended before it named its port")));
    });
    const named = new Promise((resolve) => {
      createInterface({ input: process.stdout }).on("line", (line) => {
        const found = /started successfully on port (\d+)/.exec(line);
        if (found) resolve(found[1]);
      });
    });
    const port = await Promise.race([named, failed]);
    failed.catch(() => {});
    const options = { args, enableExtensionTargets: true };
    const capabilities = { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": options, timeouts: { script: 120_000 } } };
    const base = `http://127.0.0.1:${port}`;
    try {
      const { sessionId } = await command(base, "POST", "/session", { capabilities });
      return new Driver(process, `${base}/session/${sessionId}`);
    } catch (error) {
      process.kill();
      throw error;
    }
  }

  /** A command of the session. */
  send(method, path, body) {
    return command(this.#session, method, path, body);
  }

  /** Opens a URL in a new tab. */
  async open(url) {
    const [there] = await this.send("GET", "/window/handles");
    await this.send("POST", "/window", { handle: there });
    const { handle } = await this.send("POST", "/window/new", { type: "tab" });
    const tab = new Tab(this, handle);
    await tab.goto(url);
    return tab;
  }

  /** All tabs and windows. */
  async tabs() {
    return (await this.send("GET", "/window/handles")).map((handle) => new Tab(this, handle));
  }

  /** Ends the browser and the driver. */
  async end() {
    await this.send("DELETE", "").catch(() => {});
    this.#process.removeAllListeners("exit");
    this.#process.kill();
  }
}

/** A tab. The driver does one thing at a time: a script that waits for a user must not be awaited in `run`. */
export class Tab {
  #driver;
  #handle;

  constructor(driver, handle) {
    this.#driver = driver;
    this.#handle = handle;
  }

  async #send(method, path, body) {
    await this.#driver.send("POST", "/window", { handle: this.#handle });
    return this.#driver.send(method, path, body);
  }

  url() {
    return this.#send("GET", "/url");
  }

  goto(url) {
    return this.#send("POST", "/url", { url });
  }

  reload() {
    return this.#send("POST", "/refresh", {});
  }

  close() {
    return this.#send("DELETE", "/window");
  }

  /** Runs the body of an async function with `args`; gives its value. */
  run(body, ...args) {
    return this.#send("POST", "/execute/sync", { script: `return (async (...args) => { ${body} })(...arguments)`, args });
  }

  /** A command of the DevTools protocol. */
  cdp(cmd, params = {}) {
    return this.#send("POST", "/goog/cdp/execute", { cmd, params });
  }

  async #find(selector) {
    return (await this.#send("POST", "/element", { using: "css selector", value: selector }))[ELEMENT];
  }

  /** Clicks the element that a CSS selector finds, once it is there and enabled. */
  press(selector) {
    return until(`${selector} to be pressed`, async () => {
      const id = await this.#find(selector);
      if (!(await this.#send("GET", `/element/${id}/enabled`))) return false;
      if ((await this.#send("GET", `/element/${id}/attribute/aria-disabled`)) === "true") return false;
      await this.#send("POST", `/element/${id}/click`, {});
      return true;
    });
  }

  /** Types into a field, in place of what is there. */
  async write(selector, text) {
    const id = await this.#find(selector);
    await this.#send("POST", `/element/${id}/clear`, {});
    await this.#send("POST", `/element/${id}/value`, { text });
  }

  /** The text of an element; of a field, what is in it. */
  text(selector) {
    return this.run("const e = document.querySelector(args[0]); return e && ((e.tagName === 'BUTTON' ? null : e.value) ?? (e.innerText || e.textContent)).trim()", selector);
  }

  /** Waits until an element's text passes the test; gives it. */
  textThat(selector, passes) {
    return until(`the text of ${selector}`, async () => {
      const text = await this.text(selector);
      if (text !== null && passes(text)) return { text };
      throw new Error(String(text));
    }).then(({ text }) => text);
  }
}

async function command(base, method, path, body) {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(base + path, init);
  const { value } = await response.json();
  if (value !== null && typeof value === "object" && "error" in value && !response.ok) {
    throw new Error(`${method} ${path}: ${value.message.split("\n")[0]}`);
  }
  return value;
}
