// MetaMask's OpenRPC documents, run by @open-rpc/test-coverage over the provider: it makes a call of each example, and judges the
// result by the example's value or the method's schema. The driver answers the wallet's prompts.

import coverage from "@open-rpc/test-coverage/build/coverage.js";
import Examples from "@open-rpc/test-coverage/build/rules/examples-rule.js";
import Faker from "@open-rpc/test-coverage/build/rules/json-schema-faker-rule.js";
import openrpc from "@metamask/api-specs/dist/build/openrpc.json";
import multichain from "@metamask/api-specs/dist/build/multichain-openrpc.json";
import { given, provider } from "./judge.js";
import { adapt, EXPECTED_CODES } from "./openrpc-examples.js";

const ended = [];
let isDone = false;
let problem;

/** The runner has no place for an error of the wallet beside the result of a node: both are in the answer. */
async function transport(_url, method, params) {
  const wallet = await provider();
  try {
    // JSON has no undefined.
    return { result: (await wallet.request({ method, params })) ?? null };
  } catch ({ code, message }) {
    return { error: { code, message } };
  }
}

/** Examples name what is not there: other accounts, blocks of another chain. */
class OwnExamples extends Examples.default {
  getCalls(document, method) {
    const calls = super.getCalls(document, method);
    return calls.map((call, index) => ({ ...call, example: index, params: adapt(method, index, call.params, given) }));
  }
}

const reporter = {
  onBegin() {},
  onTestBegin() {},
  onTestEnd(_, { methodName: method, example = 0, valid, reason, requestError, error, result }) {
    const expected = EXPECTED_CODES[`${method} ${example}`] ?? EXPECTED_CODES[method];
    const words = expected === undefined ? reason ?? requestError?.message : `expected the code ${expected}, got ${JSON.stringify(error ?? result)}`;
    const passed = expected === undefined ? valid : error?.code === expected;
    ended.push({ method, example, passed, code: error?.code, problem: passed ? undefined : String(words ?? JSON.stringify(error ?? result)).slice(-600) });
  },
  onEnd() {},
};

/** The runner asks in the order of the document; those that end the connection come last. */
const LAST = ["wallet_revokePermissions", "wallet_revokeSession"];

async function run() {
  const rules = [new Faker.default({ numCalls: 2 }), new OwnExamples()];
  const begin = (openrpcDocument, choice) => coverage.default({ reporters: [reporter], rules, skip: [], only: [], transport, openrpcDocument, ...choice });
  const isRead = ({ name }) => !name.startsWith("wallet_");
  const reads = openrpc.methods.filter(isRead).map(({ name }) => name);
  await begin(openrpc, { only: reads });
  await begin(openrpc, { skip: [...reads, ...LAST] });
  await begin(multichain, { skip: LAST });
  await begin(multichain, { only: LAST });
  await begin(openrpc, { only: LAST });
}

window.openrpc = {
  start(values) {
    Object.assign(given, values);
    run().then(
      () => (isDone = true),
      (error) => (problem = String(error)),
    );
  },
  /** What became of the call with this number: null while it is open, `{done}` after the last. */
  ended: (number) => {
    if (ended[number]) return ended[number];
    if (problem) throw new Error(problem);
    return isDone ? { done: true } : null;
  },
};
