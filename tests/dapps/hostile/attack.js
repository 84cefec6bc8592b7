// What hostile pages do with the messages between page, content script and worker.

/** Sends a message as the provider does, and waits for an answer to it, or for silence. */
function spoof(message, millis = 1500) {
  return new Promise((resolve) => {
    const heard = ({ data }) => {
      if (data?.target !== "countersign-inpage" || data.id !== message.id) return;
      removeEventListener("message", heard);
      resolve(data.error ? { code: data.error.code } : { result: data.result ?? null });
    };
    addEventListener("message", heard);
    setTimeout(() => (removeEventListener("message", heard), resolve("silence")), millis);
    postMessage(message, location.origin);
  });
}

/** Messages that are not requests: each is ignored or answered with a code. */
async function malformed() {
  const target = "countersign-content";
  const odd = [
    { target },
    { target, id: null, method: "eth_accounts" },
    { target, id: {}, method: "eth_accounts" },
    { target, id: "x".repeat(100_000), method: "eth_accounts" },
    { target, id: NaN, method: "eth_accounts" },
    { target, id: [1], method: "eth_accounts" },
    { target: [target], id: 1, method: "eth_accounts" },
  ];
  for (const message of odd) postMessage(message, location.origin);
  for (const message of [null, 0, "countersign-content", [], new Uint8Array(9), new Map([["target", target]])]) {
    postMessage(message, location.origin);
  }
  return {
    noMethod: await spoof({ target, id: "m1" }),
    numericMethod: await spoof({ target, id: "m2", method: 7 }),
    longMethod: await spoof({ target, id: "m3", method: "e".repeat(1_000_000) }),
    unknownMethod: await spoof({ target, id: "m4", method: "constructor" }),
    protoMethod: await spoof({ target, id: "m5", method: "__proto__" }),
    textParams: await spoof({ target, id: "m6", method: "eth_sendTransaction", params: "all" }),
  };
}

/** Fields that only the browser may say. */
async function forgedSender() {
  const target = "countersign-content";
  const lies = { origin: "https://bank.example", document: "x", tab: 1, sender: { origin: "https://bank.example" }, grant: { accounts: ["*"] } };
  return [
    await spoof({ target, id: "f1", method: "eth_accounts", ...lies }),
    await spoof({ target, id: "f2", method: "personal_sign", params: ["0x00", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"], ...lies }),
    await spoof({ target, id: "f3", method: "eth_accounts", params: [lies] }),
  ];
}

/** Answers and states that the page forges reach the page alone. */
async function forgedAnswers() {
  const provider = await find();
  const pending = provider.request({ method: "eth_chainId" });
  for (const id of [1, "1", `${crypto.randomUUID()}-1`, "__proto__", "constructor", "toString"]) {
    postMessage({ target: "countersign-inpage", id, result: "forged" }, location.origin);
  }
  postMessage({ target: "countersign-inpage", event: "state", data: { connected: true, chainId: "0x1", accounts: ["0xforged"], solana: [], sui: [] } }, location.origin);
  postMessage({ target: "countersign-inpage", event: "state", data: 7 }, location.origin);
  const chain = await pending;
  return { chain, accounts: await provider.request({ method: "eth_accounts" }) };
}

function find() {
  return new Promise((resolve) => {
    addEventListener("eip6963:announceProvider", ({ detail }) => resolve(detail.provider), { once: true });
    dispatchEvent(new Event("eip6963:requestProvider"));
  });
}

const settled = (promise) =>
  promise.then(
    (result) => ({ result: result ?? null }),
    (error) => ({ code: error.code, isError: error instanceof Error }),
  );

/** Every request at once; how many ended in what. */
async function flood(count, method, params) {
  const provider = await find();
  const ends = await Promise.all(Array.from({ length: count }, () => settled(provider.request({ method, params }))));
  const counted = {};
  for (const end of ends) {
    const key = "code" in end ? String(end.code) : "answered";
    counted[key] = (counted[key] ?? 0) + 1;
  }
  return counted;
}

/** Begins the requests and counts their ends in `window.ends`. */
async function beginFlood(count, method, params) {
  const provider = await find();
  window.ends = [];
  for (let i = 0; i < count; i++) settled(provider.request({ method, params })).then((end) => window.ends.push(end));
  return true;
}

/** Parameters that are too large, too deep, or not JSON. */
async function odd(method) {
  const provider = await find();
  const deep = (levels) => {
    let value = [];
    for (let i = 0; i < levels; i++) value = [value];
    return value;
  };
  const cyclic = [];
  cyclic.push(cyclic);
  const ask = (params) => settled(provider.request({ method, params }));
  return {
    tenMegabytes: await ask(["0x" + "00".repeat(5 << 20)]),
    wide: await ask(Array(2_000_000).fill(0)),
    deep: await ask(deep(20_000)),
    deeper: await ask(deep(200_000)),
    cyclic: await ask(cyclic),
    bigint: await ask([1n]),
    function: await ask([() => {}]),
    throwing: await ask([{ get value() { throw new Error("no"); } }]),
    proxy: await ask(new Proxy([], { get() { throw new Error("no"); } })),
    toJson: await ask([{ toJSON() { throw new Error("no"); } }]),
    lone: await ask(["\ud800"]),
    zero: await ask(["\u0000"]),
    proto: await ask([JSON.parse('{"__proto__": {"from": "0x1"}, "constructor": {"prototype": {"polluted": true}}}')]),
  };
}

/** What the provider is asked when it is no function call as it should be. */
async function oddCalls() {
  const provider = await find();
  const call = async (work) => settled((async () => work())());
  return {
    nothing: await call(() => provider.request()),
    text: await call(() => provider.request("eth_accounts")),
    noMethod: await call(() => provider.request({})),
    textParams: await call(() => provider.request({ method: "eth_accounts", params: "x" })),
    getter: await call(() => provider.request({ get method() { throw new Error("no"); } })),
    frozen: Object.isFrozen(provider),
    replaced: (() => {
      try {
        "use strict";
        provider.request = () => "mine";
      } catch {
        // Frozen.
      }
      return String(provider.request).includes("mine");
    })(),
    polluted: {}.polluted ?? null,
  };
}
