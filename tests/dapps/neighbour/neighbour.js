// Asks the wallet as pages with multichain sessions do (CAIP-25), over a port.

/** A port to the wallet: requests, and what was heard beside their answers. */
class Port {
  heard = [];
  isClosed = false;
  #waiting = new Map();
  #count = 0;

  constructor(walletId, name) {
    this.port = chrome.runtime.connect(walletId, { name });
    this.port.onDisconnect.addListener(() => {
      void chrome.runtime.lastError;
      this.isClosed = true;
    });
    this.port.onMessage.addListener(({ data }) => {
      const answered = this.#waiting.get(data?.id);
      if (answered) answered.push(data);
      else this.heard.push(data);
    });
  }

  /** Sends a request; its answers, in the end one, are in the list that is returned. */
  begin(method, params) {
    const id = (this.#count += 1);
    const answers = [];
    this.#waiting.set(id, answers);
    this.port.postMessage({ type: "caip-348", data: { jsonrpc: "2.0", id, method, params } });
    return answers;
  }
}

globalThis.openPort = (walletId, name = "") => (globalThis.wallet = new Port(walletId, name));
