import assert from "node:assert/strict";
import { it } from "node:test";
import type { AuditEntry } from "../generated/AuditEntry";
import type { Decoded } from "../generated/Decoded";
import type { Effect } from "../generated/Effect";
import type { Party } from "../generated/Party";
import type { Standing } from "../generated/Standing";
import type { Prompt } from "../generated/Prompt";
import type { Step } from "../generated/Step";
import { answerable, fateOf } from "../src/approve/fate";
import type { TrialOutcome } from "../generated/TrialOutcome";
import { Queue } from "../src/approve/queue";
import { auditFacts, auditWords } from "../src/popup/activity/audit-words";
import { claimsOf } from "../src/popup/bundle/claims";
import { effectWords } from "../src/popup/bundle/effects";
import { isDoubtful, otherParties, standingWords } from "../src/popup/bundle/parties";
import { isAbout } from "../src/popup/prompt/answers";
import { allPrompts } from "../src/popup/prompt/page";
import { trialWords } from "../src/popup/bundle/trial";
import { boundsLike, boundWords } from "../src/popup/argument-bounds";
import { bound, until } from "../src/popup/prompt/remember";
import { boundsOf } from "../src/popup/settings/policy/tools";
import type { BoundRule } from "../generated/BoundRule";

function prompt(id: string, createdAt: number, outcome: Prompt["outcome"] = null): Prompt {
  const common = { id, title: "", reasons: [], digest: "d", createdAt, expiresAt: 9, outcome };
  return { ...common, kind: "confirmation_required", callId: `c${id}` };
}

it("the named prompt comes first, then the oldest; a newer one never replaces the shown one", () => {
  const queue = new Queue("b");
  assert.equal(queue.replace([prompt("c", 3), prompt("a", 1), prompt("b", 2)]), false);
  assert.deepEqual([queue.current?.id, queue.place], ["b", { number: 1, total: 3 }]);
  queue.settle("b");
  assert.deepEqual([queue.current?.id, queue.place], ["a", { number: 2, total: 3 }]);
  assert.equal(queue.take(prompt("0", 0)), false);
  assert.deepEqual([queue.current?.id, queue.place], ["a", { number: 2, total: 4 }]);
  queue.settle("a");
  assert.equal(queue.current?.id, "0");
});

it("a prompt settled elsewhere advances the queue; a waiting one that settles does not", () => {
  const queue = new Queue(null);
  queue.replace([prompt("a", 1), prompt("b", 2), prompt("c", 3)]);
  assert.equal(queue.take(prompt("b", 2, "approved")), false);
  assert.deepEqual([queue.current?.id, queue.place], ["a", { number: 2, total: 3 }]);
  assert.equal(queue.take(prompt("a", 1, "rejected")), true);
  assert.deepEqual([queue.current?.id, queue.place], ["c", { number: 3, total: 3 }]);
  assert.equal(queue.take(prompt("x", 5, "expired")), false, "one that was never here");
  assert.equal(queue.replace([]), true);
  assert.equal(queue.current, undefined);
});

it("a prompt that is loaded later than its outcome does not come back", () => {
  const queue = new Queue(null);
  assert.equal(queue.take({ id: "a", outcome: "approved" }), false);
  assert.equal(queue.take(prompt("a", 1)), false);
  assert.equal(queue.current, undefined);
});

it("a prompt that is not open has its own page: unknown, approved, rejected or expired", () => {
  assert.equal(fateOf(undefined, 0), "unknown");
  for (const outcome of ["approved", "rejected", "expired"] as const) {
    assert.equal(fateOf(prompt("a", 1, outcome), 0), outcome);
  }
  const open = prompt("a", 1);
  assert.deepEqual([8, 9, 10].map((now) => fateOf(open, now)), [undefined, "expired", "expired"]);
  assert.deepEqual(answerable([open, { ...prompt("b", 2), expiresAt: 20 }], 9).map(({ id }) => id), ["b"]);
});

it("the link to the open prompts names none, and keeps the page's shape", () => {
  assert.equal(allPrompts(new URLSearchParams("prompt=gone")), "approve.html");
  assert.equal(allPrompts(new URLSearchParams("prompt=gone&view=panel")), "approve.html?view=panel");
});

it("only the record that a prompt names is approved", () => {
  assert.equal(isAbout({ subject: "d1" }, "d1"), true);
  assert.equal(isAbout({ subject: "d1" }, "d2"), false);
  assert.equal(isAbout({ subject: "d1" }, undefined), false, "a record without a digest");
  assert.equal(isAbout({}, "d1"), false, "a prompt of an earlier version");
  assert.equal(isAbout({}, undefined), true, "a connection: the prompt says everything");
});

const USDC = {
  kind: "token",
  id: "0xa0b8",
  ticker: "USDC",
  source: "table",
  contract: "known",
  agentTicker: null,
} as const;
const units = (shown: string, digits = "5"): { units: string; shown: string } => ({ units: digits, shown });

/** Every kind of effect with its text and its facts. */
const EFFECTS: readonly [Effect, string, string[]][] = [
  [
    { kind: "transfer", asset: { kind: "native", ticker: "ETH" }, to: "0xb0b", amount: units("1.5 ETH") },
    "Send 1.5 ETH",
    ["To 0xb0b"],
  ],
  [
    { kind: "transfer", asset: USDC, to: "0xb0b", amount: units("5 USDC") },
    "Send 5 USDC",
    ["To 0xb0b", "Token 0xa0b8"],
  ],
  [
    { kind: "transfer", asset: { kind: "item", collection: "0xc0", id: "7" }, to: "0xb0b", amount: units("1", "1") },
    "Send item 7 of a collection",
    ["To 0xb0b", "Collection 0xc0"],
  ],
  [
    { kind: "transfer_from", asset: USDC, from: "0xa", to: "0xb", amount: units("5 USDC") },
    "Move 5 USDC from another account",
    ["From 0xa", "To 0xb", "Token 0xa0b8"],
  ],
  [{ kind: "change", to: "bc1q", amount: units("0.1 BTC") }, "0.1 BTC returns to you as change", ["To bc1q"]],
  [
    { kind: "approve", asset: USDC, spender: "0x5", amount: units("5 USDC"), unlimited: false },
    "Allow a spender to take up to 5 USDC from you",
    ["Spender 0x5", "Token 0xa0b8"],
  ],
  [
    { kind: "approve", asset: USDC, spender: "0x5", amount: units("…"), unlimited: true },
    "Allow a spender to take USDC from you without a limit",
    ["Spender 0x5", "Token 0xa0b8"],
  ],
  [
    { kind: "approve_all", collection: "0xc0", operator: "0x5", approved: true },
    "Allow an operator to take every item of a collection from you",
    ["Operator 0x5", "Collection 0xc0"],
  ],
  [
    { kind: "approve_all", collection: "0xc0", operator: "0x5", approved: false },
    "An operator may no longer take items of a collection from you",
    ["Operator 0x5", "Collection 0xc0"],
  ],
  [
    {
      kind: "swap",
      provider: "THORChain",
      router: "0x7",
      sell: USDC,
      amount: units("5 USDC"),
      buy: "BTC",
      bought: null,
      minimumOut: null,
      minimumShown: null,
      recipient: "bc1q",
    },
    "Swap 5 USDC for BTC via THORChain",
    ["Paid to 0x7", "Minimum none", "Received by bc1q", "Token 0xa0b8"],
  ],
  [
    {
      kind: "call",
      contract: "0xc",
      value: units("0 ETH", "0"),
      signature: "stake(uint256)",
      arguments: [{ name: "amount", value: "5" }],
    },
    "Call stake of a contract. What it does is not known",
    ["Contract 0xc", "Function stake(uint256)", "amount 5"],
  ],
  [
    { kind: "unknown_call", contract: "0xc", value: units("1 ETH"), selector: "0xdeadbeef", bytes: 68 },
    "Call a contract with data that could not be decoded. Its effect is unknown",
    ["Contract 0xc", "Value sent 1 ETH", "Function 0xdeadbeef", "Data 68 bytes"],
  ],
  [{ kind: "create", value: units("0 ETH", "0"), bytes: 9 }, "Create a new contract", ["Code 9 bytes"]],
  [{ kind: "note", name: "Stake", fields: [{ name: "pool", value: "p" }] }, "Stake", ["pool p"]],
  [
    { kind: "other", name: "SetKey", fields: [{ name: "key", value: "k" }] },
    "SetKey. What it gives away is not known",
    ["key k"],
  ],
  [
    { kind: "unknown", what: "instruction 3", bytes: 1 },
    "Data that could not be decoded. Its effect is unknown",
    ["What instruction 3", "Data 1 byte"],
  ],
];

const UNREAD = new Set<Effect["kind"]>(["unknown", "unknown_call", "call", "other"]);

it("every effect has a text, and every address is shown in full", () => {
  for (const [effect, words, facts] of EFFECTS) {
    const shown = effectWords(effect);
    assert.deepEqual([shown.words, shown.facts.map(({ name, value }) => `${name} ${value}`)], [words, facts]);
    assert.equal(shown.unknown, UNREAD.has(effect.kind) ? true : undefined);
  }
});

it("a trial run says what the vault has less and more of, and what it does not know", () => {
  const ran: TrialOutcome = {
    kind: "ran",
    changes: [
      { asset: USDC, direction: "less", amount: units("500 USDC") },
      { asset: { ...USDC, id: "0xdead", ticker: null, source: null }, direction: "less", amount: units("5 of 0xdead") },
      { asset: { kind: "item", collection: "0xc", id: "7" }, direction: "less", amount: units("1 0xc #7", "1") },
      { asset: { kind: "native", ticker: "ETH" }, direction: "more", amount: units("0.12 ETH") },
    ],
    fee: units("0.003 ETH"),
    failure: null,
    transactions: 2,
    gaps: ["later_transactions"],
  };
  const words = (outcome: TrialOutcome): ReturnType<typeof trialWords> => trialWords({ chain: "Base", outcome }, new Map([[2, 1]]));
  assert.deepEqual(words(ran), {
    lines: [
      { direction: "less", words: "− 500 USDC", id: "0xa0b8" },
      { direction: "less", words: "− 5 units of an unknown token (decimals unknown)", id: "0xdead" },
      { direction: "less", words: "− item 7 of a collection", id: "0xc" },
      { direction: "more", words: "+ 0.12 ETH" },
      { direction: "fee", words: "fee up to 0.003 ETH" },
    ],
    notes: ["Only the first transaction on this chain was run."],
  });
  const failed = words({ ...ran, changes: [], fee: null, gaps: [], failure: { sequence: 2, reason: "LOCKED" } });
  assert.deepEqual(failed, { lines: [], notes: ["Step 1 fails: LOCKED", "Nothing after that is counted."] });
  const nothing = words({ ...ran, changes: [], fee: null, gaps: [] });
  assert.deepEqual(nothing, { lines: [], notes: ["No balance changes."] });
  const none = words({ kind: "not_run", reason: "node_has_none" });
  assert.deepEqual(none, { lines: [], notes: ["No trial run: the node does not offer it."] });
});

function step(parts: Partial<Decoded>): Step {
  const nobody = { effects: [], parties: [], memo: null, fee: null, feeUnknown: false };
  const explanation = { chain: "Base", from: "0x1", target: null, ...nobody };
  const decoded: Decoded = {
    role: "transfer",
    explanation: { ...explanation, gasLimit: null, nonce: null },
    claims: [],
    contradictions: [],
    unverified: [],
    digest: "d",
    ...parts,
  };
  const claimed = { from: null, value: null, gasLimit: null, tokenSymbol: "USDC", contractName: "Router" };
  const details = { ...claimed, description: "Pay rent", to: "0xb0b", amountHuman: "5" };
  const asked = { id: "s", sequence: 1, chain: "Base", action: "send", waitForReceipt: false };
  return { ...asked, details, transactions: [decoded], findings: [], receiptTimeoutSeconds: null };
}

/** T000-34: the sender's claims are shown with any result of their check. */
it("a claim shows the result of its check; prose and contract names are never confirmed", () => {
  const lie = { field: "to", claimed: "0xb0b", actual: "0xe" };
  const disputed = step({ unverified: ["token_symbol"], contradictions: [lie] });
  assert.deepEqual(
    claimsOf(disputed).map(({ name, value, standing }) => [name, value, standing]),
    [
      ["Step", "send", "prose"],
      ["Purpose", "Pay rent", "prose"],
      ["Amount", "5", "confirmed"],
      ["Token", "USDC", "unknown"],
      ["To", "0xb0b", "false"],
      ["Contract", "Router", "unknown"],
    ],
  );
  const payload = step({ claims: [{ about: "swap provider", text: "NEAR" }] });
  assert.deepEqual(claimsOf(payload).at(-1), { name: "Swap provider", value: "NEAR", standing: "unknown" });
  const undecoded = { ...step({}), transactions: [] };
  assert.ok(claimsOf(undecoded).every(({ standing }) => standing === "prose" || standing === "unknown"));
});

it("a remembered permission has the chosen end and a clamped bound", () => {
  const noon = new Date(2026, 4, 5, 12, 30).getTime();
  assert.equal(until("today", noon), new Date(2026, 4, 6).getTime());
  assert.equal(until("week", noon), noon + 7 * 24 * 60 * 60 * 1000);
  assert.equal(until("ever", noon), null);
  assert.deepEqual(["3", "0", "-1", "1e9", "2.7", "", "many"].map(bound), [3, 1, 1, 1000, 2, 1, 10]);
});

it("a prompt offers bounds that hold for the call it is about", () => {
  const words = (params: Record<string, unknown>): string[] => boundsLike(params).map(boundWords);
  assert.deepEqual(words({ city: "Berlin", amount: 5, fee: "0.10", urgent: true, note: null }), [
    "city = Berlin",
    "amount is at most 5",
    "fee is at most 0.10",
    "urgent = true",
    "note = null",
  ]);
  const entries = [
    { chain: "Ethereum", amount: 1, tag: "a" },
    { chain: "Base", amount: 2.5 },
    { chain: "Base", amount: 2 },
  ];
  assert.deepEqual(boundsLike({ entries }), [
    { path: "/entries/*/chain", rule: { kind: "one_of", values: ["Ethereum", "Base"] } },
    { path: "/entries/*/amount", rule: { kind: "at_most", value: "2.5" } },
  ]);
  assert.deepEqual(words({ entries }), ["entries › chain is one of Ethereum, Base", "entries › amount is at most 2.5"]);
  const odd = { "a/b": { "m~n": "x" }, "*": "no place", none: [], mixed: [1, { a: 1 }], nested: { "*": 1 } };
  assert.deepEqual(boundsLike(odd), [{ path: "/a~1b/m~0n", rule: { kind: "one_of", values: ["x"] } }]);
  assert.deepEqual(words(odd), ["a/b › m~n = x"]);
  // Too long to read, not the number that was sent, too many, too deep.
  assert.deepEqual(words({ text: "x".repeat(81), big: 2 ** 60, all: [..."abcdef"], a: { b: { c: { d: { e: 1 } } } } }), []);
  assert.equal(boundsLike(Object.fromEntries([..."abcdefghijkl"].map((name) => [name, 1]))).length, 8);
});

it("a bound reads as it holds: look-alikes and invisible characters are shown", () => {
  const bound = (rule: BoundRule): string => boundWords({ path: "/url", rule });
  assert.equal(bound({ kind: "one_of", values: ["5", 5, "", "true", true, " a"] }), 'url is one of "5", 5, "", "true", true, " a"');
  assert.equal(bound({ kind: "one_of", values: ["a\u202eb"] }), "url = a\ufffdb");
  assert.equal(bound({ kind: "at_least", value: "1e3" }), "url is at least 1e3");
  assert.equal(bound({ kind: "begins_with", text: "/v1/" }), "url begins with /v1/");
  assert.equal(bound({ kind: "absent" }), "url is absent");
  const arguments_ = [{ path: "/city", rule: { kind: "one_of" as const, values: ["Berlin"] } }];
  assert.deepEqual(boundsOf({ kind: "allow", perDay: 1, until: null, arguments: arguments_ }), ["city = Berlin"]);
  assert.deepEqual([boundsOf({ kind: "allow", perDay: 1, until: null }), boundsOf({ kind: "deny" })], [[], []]);
});

it("an audit entry has a text and every digest", () => {
  const seal = { number: 1, at: 0, previous: "00", hash: "ff" };
  const source = { kind: "agent", conversationId: "k" } as const;
  const blocked: AuditEntry = {
    ...seal,
    kind: "verdict",
    callId: "c",
    source,
    tool: "sign_transaction_bundle",
    verdict: "block",
    reasons: ["contradiction", "high_fee"],
    shown: "aa",
  };
  assert.deepEqual(auditWords(blocked), {
    words: "Blocked: sign transaction bundle",
    more: "asked by the agent · a claim is not true · a high fee",
  });
  assert.deepEqual(auditFacts(blocked), [
    ["Action", "c"],
    ["Digest of what was shown", "aa"],
    ["Hash", "ff"],
    ["Previous hash", "00"],
  ]);
  const decided: AuditEntry = {
    ...seal,
    kind: "decision",
    promptId: "p",
    callId: null,
    question: "connect_dapp",
    shown: "aa",
    outcome: "rejected",
  };
  assert.deepEqual(auditWords(decided), { words: "You rejected", more: "asked to connect a site" });
  const ended = { ...seal, kind: "result", callId: "c", source, tool: "t", params: "p", result: "r" } as const;
  const refused = auditWords({ ...ended, success: false, error: "rejected_by_user" });
  assert.deepEqual(refused, { words: "Not done: t", more: "asked by the agent · You rejected this." });
  assert.equal(auditWords({ ...ended, success: false, error: "high_fee" }).more, "asked by the agent · a high fee");
  const done = auditWords({ ...ended, success: true, error: null });
  assert.deepEqual(done, { words: "Done: t", more: "asked by the agent" });
  const changed: AuditEntry = { ...seal, kind: "change", what: "vault_locked", subject: "02ab" };
  assert.deepEqual(auditWords(changed), { words: "A vault was locked", more: "02ab" });
});

/** What is known of a token and of an address is said beside it. */
it("a party has its standing, and a token its source", () => {
  const party = (standing: Standing | null, name: string | null = null): Party => ({
    address: "0xb0b",
    role: "recipient",
    name,
    standing,
  });
  const said: [Party, string, boolean][] = [
    [party({ kind: "own" }), "your account", false],
    [party({ kind: "contact", title: "Ann" }), "your contact Ann", false],
    [party({ kind: "agent_contact", title: "Ann" }), "saved by the agent as “Ann”, not confirmed", true],
    [party({ kind: "known_contract" }, "Uniswap V2"), "Uniswap V2", false],
    [party({ kind: "seen_before" }), "paid before", false],
    [party({ kind: "look_alike", other: "0xb1b" }), "looks like 0xb1b, and is another", true],
    [party({ kind: "stranger" }, "USDC"), "not known (USDC)", true],
  ];
  for (const [one, words, doubtful] of said) {
    assert.deepEqual([standingWords(one), isDoubtful(one)], [words, doubtful]);
  }
  const fake = { ...USDC, ticker: null, source: null, contract: "unknown", agentTicker: "USDC" } as const;
  const effect = effectWords({ kind: "transfer", asset: fake, to: "0xb0b", amount: units("5") });
  assert.equal(effect.facts.at(-1)?.note, "not known, added by the agent as “USDC”");
  const other = { ...party(null), address: "0xe" };
  assert.deepEqual(otherParties([party(null), other], effect.facts), [other]);
});
