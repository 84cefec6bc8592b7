import assert from "node:assert/strict";
import { it } from "node:test";
import type { Call } from "../generated/Call";
import type { Coin } from "../generated/Coin";
import { adderWords } from "../src/popup/added-by";
import { intentOf, outcomeOf, progressOf, rowsOf } from "../src/popup/describe";
import { explain, sentenceOf } from "../src/popup/errors";
import { RequestError } from "../src/popup/request";
import { endpointOf } from "../src/popup/settings/endpoints/form";
import { chainsInUse, endpointWords } from "../src/popup/settings/endpoints/panel";
import { originsOf } from "../src/popup/settings/reach";
import { byChain } from "../src/popup/wallet/coins";

function call(parts: Partial<Call>): Call {
  return {
    id: "1",
    actionId: "a",
    type: "add_address_book",
    tool: "add_address_book",
    title: "",
    params: {
      entries: [
        { title: "Alice", address: "0x1", chain: "Base" },
        { title: "Bob", address: "0x2", chain: "Nope" },
      ],
    },
    legacy: false,
    lane: "l",
    autoExecute: null,
    source: { kind: "user" },
    state: { name: "received" },
    receivedAt: 0,
    delivery: "none",
    ...parts,
  };
}

it("a partly successful call shows the count and each entry's error", () => {
  const results = [
    { success: true, error: null, address: "0x01" },
    { success: false, error: 'unknown_chain: "Nope"' },
  ];
  const result = { action: "add_address_book", action_id: "a", success: true, data: { results } };
  const done = call({ state: { name: "done", at: 1, result } });
  assert.equal(progressOf(done), "done");
  assert.equal(intentOf(done), "Save 2 contacts");
  assert.equal(outcomeOf(done), "Saved 1 contact");
  assert.deepEqual(rowsOf(done), [
    { title: "Alice", chain: "Base", address: "0x01" },
    { title: "Bob", chain: "Nope", address: "0x2", error: "This chain is not known. Choose one from the list." },
  ]);
});

it("chains and tokens are counted, a token is shown by its contract", () => {
  const token = { chain: "Base", ticker: "USDC", contract_address: "0xc", decimals: 6 };
  const tokens = call({ tool: "add_token", params: { tokens: [token] } });
  assert.equal(intentOf(tokens), "Add 1 token");
  assert.deepEqual(rowsOf(tokens), [{ title: "USDC", chain: "Base", address: "0xc" }]);
  const chains = call({ tool: "add_chain", params: { chains: [{ chain: "Sui" }, { chain: "Ton" }] } });
  assert.equal(intentOf(chains), "Add 2 chains");
  assert.deepEqual(rowsOf(chains)[0], { title: "", chain: "Sui", address: "" });
  const results = [{ chain: "Sui", ticker: "SUI", address: "0x1", success: true, error: null }];
  const result = { action: "add_chain", action_id: "a", success: true, data: { results } };
  assert.equal(outcomeOf({ ...chains, state: { name: "done", at: 1, result } }), "Added 1 chain");
});

it("removed tokens are counted, and a refusal has a sentence", () => {
  const tokens = [{ chain: "Base", ticker: "ABC" }, { chain: "Base", ticker: "ETH" }];
  const removal = call({ tool: "remove_token", params: { tokens } });
  assert.equal(intentOf(removal), "Remove 2 tokens");
  const results = [
    { chain: "Base", ticker: "ABC", contract_address: "0xc", success: true, error: null },
    { chain: "Base", ticker: "ETH", contract_address: null, success: false, error: "native_coin: /tokens/1 is" },
  ];
  const result = { action: "remove_token", action_id: "a", success: true, data: { results } };
  const done = call({ ...removal, state: { name: "done", at: 1, result } });
  assert.equal(outcomeOf(done), "Removed 1 token");
  assert.deepEqual(rowsOf(done), [
    { title: "ABC", chain: "Base", address: "0xc" },
    {
      ...{ title: "ETH", chain: "Base", address: "" },
      error: "A chain's own coin cannot be removed: it pays for transactions there.",
    },
  ]);
  assert.equal(
    sentenceOf("ticker_taken: /tokens/0/ticker is taken on this chain by USDC at 0xa"),
    "This ticker belongs to another token: /tokens/0/ticker is taken on this chain by USDC at 0xa.",
  );
});

it("what does not say who added it counts as the agent's", () => {
  assert.equal(adderWords({ kind: "user" }), "you");
  assert.equal(adderWords({ kind: "agent" }), "the agent");
  assert.equal(adderWords({ kind: "dapp", origin: "https://app.example" }), "https://app.example");
  assert.equal(adderWords(undefined), "the agent");
});

it("a wallet's coins are grouped by chain, the native coin first", () => {
  const coin = (chain: string, ticker: string, isNative: boolean): Coin => ({
    ...{ chain, ticker, isNative, address: "a", decimals: 6, confirmed: true, decimalsFrom: "table" },
    ...(isNative ? {} : { contractAddress: "c" }),
  });
  const held = byChain([coin("Base", "ETH", true), coin("Base", "USDC", false), coin("Sui", "SUI", true)]);
  assert.deepEqual(
    held.map(({ native, tokens }) => [native.chain, ...tokens.map(({ ticker }) => ticker)]),
    [["Base", "USDC"], ["Sui"]],
  );
});

it("a call without a valid list has no rows", () => {
  for (const params of [{}, { entries: "all" }, { entries: [7, null] }]) assert.deepEqual(rowsOf(call({ params })), []);
});

it("a result's error has a sentence, with its detail where useful", () => {
  assert.equal(sentenceOf("rejected_by_user: the user said no"), "You rejected this.");
  assert.equal(sentenceOf("agent_error: out of credit"), "The agent reported an error: out of credit.");
  assert.equal(sentenceOf("some_new_code"), "Some new code.");
  assert.equal(sentenceOf("some_new_code: with: words"), "With: words.");
});

it("a refused request names the field", () => {
  const error = new RequestError(400, "invalid_request", "must be an https:// address", "/backend/url");
  assert.equal(explain(error), "The address must be an https:// address.");
  assert.equal(explain(new TypeError("x")), "Something unexpected went wrong. Please try again.");
  const why = "this uses another node: the password of “Main” is needed";
  const asked = new RequestError(403, "password_required", why, "/endpoints/Base/url");
  assert.equal(explain(asked), "This uses another node: the password of “Main” is needed.");
});

it("an invalid endpoint names its field", () => {
  const rule = "must be an https:// address, or http:// on this machine";
  const explained = (path: string): string =>
    explain(new RequestError(400, "invalid_request", rule, `/endpoints/Ethereum${path}`));
  assert.equal(explained("/url"), `The address ${rule}.`);
  assert.equal(explained("/others/1"), `Each address ${rule}.`);
  assert.equal(explained("/statusUrl"), `The address for receipts ${rule}.`);
});

it("the chains in use are shown with their nodes", () => {
  const endpoint = endpointOf(" https://a.example/key ", "https://b.example\n\n https://c.example ", " ");
  assert.deepEqual(endpoint, { url: "https://a.example/key", others: ["https://b.example", "https://c.example"] });
  assert.equal(endpointOf("x", "", "https://s.example").statusUrl, "https://s.example");
  assert.deepEqual(chainsInUse(["Ethereum", "Ethereum"], { Bitcoin: endpoint }).toSorted(), ["Bitcoin", "Ethereum"]);
  assert.equal(endpointWords("Bitcoin", endpoint), "https://a.example/key and 2 other nodes");
  assert.match(endpointWords("Ethereum", undefined), /^Default: https:/);
});

it("requests permission for each remote host once", () => {
  const typed = ["https://a.example/v1", "https://a.example/v2", "https://b.example:8443", "http://127.0.0.1:8545", "x"];
  assert.deepEqual(originsOf(typed), ["https://a.example/*", "https://b.example:8443/*"]);
});
