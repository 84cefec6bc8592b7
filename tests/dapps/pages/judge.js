// A page that judges the provider: a list of cases, which the driver runs one after the other. The driver answers the wallet's
// prompts as each case says; the case itself checks what the library got.

import { verifyMessage } from "viem";

/** What the driver told the page: the account, the node. */
export const given = {};

/**
 * `[{name, method, user?: ("approve" | "reject")[], result?, mines?, run}]`. `result` is what the table says if the case ends
 * without an exception; `mines` is how many transactions the account must have mined by it.
 */
export function judge(cases) {
  const outcomes = [];
  window.judge = {
    setUp: (values) => Object.assign(given, values),
    list: () => cases.map(({ name, method, user = [], result = "answered", mines = 0 }) => ({ name, method, user, result, mines })),
    start(index) {
      outcomes[index] = undefined;
      (async () => cases[index].run())().then(
        () => (outcomes[index] = { ok: true }),
        (error) => (outcomes[index] = { ok: false, problem: describe(error) }),
      );
    },
    outcome: (index) => outcomes[index] ?? null,
  };
}

function describe(error) {
  const code = codeOf(error);
  const words = error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);
  return `${code === undefined ? "" : `code ${code}, `}${words}`.slice(0, 600);
}

/** Libraries wrap the wallet's error: the first code on the way down. */
export function codeOf(error) {
  for (let at = error, depth = 0; at && depth < 10; at = at.cause ?? at.error ?? at.info?.error, depth++) {
    if (Number.isInteger(at.code)) return at.code;
    if (Number.isInteger(at.info?.error?.code)) return at.info.error.code;
  }
  return undefined;
}

export function equal(found, expected, what = "value") {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what} is ${a}, not ${b}`);
}

export function check(condition, what) {
  if (!condition) throw new Error(`it does not hold: ${what}`);
}

/** The promise must be refused with this code. */
export async function refused(code, promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    if (codeOf(error) !== code) throw new Error(`refused with ${describe(error)}, not ${code}`);
    return error;
  }
  throw new Error(`answered ${JSON.stringify(value)}, not refused with ${code}`);
}

/** Waits until the function gives something. */
export async function until(what, look, millis = 10_000) {
  const end = Date.now() + millis;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The wallet as EIP-6963 announces it. */
export function discover() {
  return new Promise((resolve) => {
    const heard = ({ detail }) => {
      if (detail.info.rdns !== "dev.countersign") return;
      window.removeEventListener("eip6963:announceProvider", heard);
      resolve(detail);
    };
    window.addEventListener("eip6963:announceProvider", heard);
    window.dispatchEvent(new Event("eip6963:requestProvider"));
  });
}

let found;
/** The provider; found once. */
export const provider = async () => (found ??= (await discover()).provider);

/** A raw request, without a library's opinion. */
export const ask = async (method, params) => (await provider()).request(params === undefined ? { method } : { method, params });

export const OTHER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export const MAIL = {
  domain: { name: "Ether Mail", version: "1", chainId: 1, verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC" },
  types: {
    Person: [
      { name: "name", type: "string" },
      { name: "wallet", type: "address" },
    ],
    Mail: [
      { name: "from", type: "Person" },
      { name: "to", type: "Person" },
      { name: "contents", type: "string" },
    ],
  },
  primaryType: "Mail",
  message: {
    from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
    to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
    contents: "Hello, Bob!",
  },
};

export const signedBy = (address, message, signature) => verifyMessage({ address, message, signature });
