import assert from "node:assert/strict";
import { it } from "node:test";
import type { Coin } from "../generated/Coin";
import type { Limit } from "../generated/Limit";
import type { VaultView } from "../generated/VaultView";
import { isOwnBackup } from "../src/onboarding/file";
import { countWords, wordsOf } from "../src/onboarding/word-count";
import { explain } from "../src/popup/errors";
import { plain } from "../src/popup/plain";
import { RequestError } from "../src/popup/request";
import { fromUnits, toUnits } from "../src/popup/settings/policy/amount";
import { limitWords } from "../src/popup/settings/policy/limits";
import { decisionWords } from "../src/popup/settings/policy/tools";
import { strengthOf } from "../src/popup/vaults/strength";
import { lockState, lockTimeWords } from "../src/popup/vaults/words";

it("whole coins and smallest units convert exactly", () => {
  const amounts: [string, number, string][] = [
    ["1", 18, "1000000000000000000"],
    ["0.5", 8, "50000000"],
    [".5", 1, "5"],
    ["1.", 2, "100"],
    ["1.500", 1, "15"],
    ["0", 18, "0"],
    ["007", 0, "7"],
    ["123456789012345678901234567890.123456789012345678", 18, "123456789012345678901234567890123456789012345678"],
  ];
  for (const [text, decimals, units] of amounts) assert.equal(toUnits(text, decimals), units, text);
  assert.equal(fromUnits("1500000000000000000", 18), "1.5");
  assert.equal(fromUnits("1", 18), "0.000000000000000001");
  assert.equal(fromUnits("0", 6), "0");
  assert.equal(fromUnits("42", 0), "42");
});

it("an invalid amount is refused", () => {
  const codeOf = (text: string, decimals: number): string => {
    try {
      return toUnits(text, decimals);
    } catch (error) {
      return (error as RequestError).code;
    }
  };
  for (const text of ["", ".", "-1", "1e3", "1,5", "0x10", "1 000", "١"]) {
    assert.equal(codeOf(text, 6), "invalid_amount", text);
  }
  assert.equal(codeOf("0.1234567", 6), "amount_too_precise");
  assert.equal(codeOf("1.5", 0), "amount_too_precise");
});

it("a limit is shown in whole coins if the vault knows the coin, otherwise in smallest units", () => {
  const limit: Limit = {
    ...{ id: "1", who: { kind: "agent" }, chain: "Base", token: "0xc" },
    ...{ perTransaction: "1500000", perDay: null },
  };
  const usdc: Coin = {
    chain: "Base",
    ticker: "USDC",
    address: "a",
    contractAddress: "0xc",
    decimals: 6,
    isNative: false,
    confirmed: true,
    decimalsFrom: "table",
  };
  assert.equal(limitWords(limit, [usdc]), "At most 1.5 USDC in one transaction");
  const claimed = limitWords(limit, [{ ...usdc, confirmed: false, decimals: 0 }]);
  assert.equal(claimed, "At most 1500000 smallest units in one transaction", "its decimals are the agent's word");
  const other = { ...limit, token: null, perDay: "2" };
  const words = "At most 1500000 smallest units in one transaction, and at most 2 smallest units in 24 hours";
  assert.equal(limitWords(other, [usdc]), words);
});

it("a remembered decision shows its bounds", () => {
  assert.equal(decisionWords({ kind: "deny" }), "Never allowed");
  const bounded = decisionWords({ kind: "allow", perDay: 1, until: null });
  assert.equal(bounded, "Allowed without asking, at most 1 time in 24 hours");
});

it("a password's strength is its length, less repetitions", () => {
  const levels: [string, number][] = [
    ["", 0],
    ["1234567", 0],
    ["12345678", 1],
    ["aaaaaaaaaaaaaaaaaaaaaaaa", 1],
    ["correct hors", 2],
    ["correct horse battery", 3],
    ["😀😁😂🤣😃😄😅", 0],
  ];
  for (const [password, level] of levels) assert.equal(strengthOf(password).level, level, password);
});

it("words are counted with any spacing", () => {
  assert.deepEqual(wordsOf("  one\ttwo\n\nthree "), ["one", "two", "three"]);
  assert.equal(countWords(""), "12, 15, 18, 21 or 24 words.");
  assert.equal(countWords("one"), "1 word; 11 more for 12.");
  assert.equal(countWords("w ".repeat(12)), "12 words: a complete phrase.");
  assert.equal(countWords("w ".repeat(25)), "25 words: too many.");
});

it("a Countersign backup is recognised", () => {
  assert.equal(isOwnBackup('{"countersign":"backup","version":1}'), true);
  for (const text of ["", "QUJD", "null", "[]", '{"version":1}', '"countersign"'])
    assert.equal(isOwnBackup(text), false);
});

it("invisible characters are made visible", () => {
  assert.equal(plain("Zoë's 金庫 😀\nline"), "Zoë's 金庫 😀\nline");
  assert.equal(plain("a\u202Egnp.exe\u200B\u0007\u2066\uFEFF"), "a\uFFFDgnp.exe\uFFFD\uFFFD\uFFFD\uFFFD");
});

it("only a local vault is unlocked, until its time ends", () => {
  const vault: VaultView = {
    ...{ id: "02", name: "v", kind: "local", publicKeyEcdsa: "", publicKeyEddsa: "", hexChainCode: "" },
    ...{ fromPhrase: false, active: true, unlockedUntil: 1_000, createdAt: 0 },
  };
  assert.equal(lockState(vault, 999), "open");
  assert.equal(lockState(vault, 1_000), "locked");
  assert.equal(lockState({ ...vault, unlockedUntil: null }, 0), "locked");
  assert.equal(lockState({ ...vault, kind: "watch" }, 0), "unable");
  assert.deepEqual([15, 60, 90, 240].map(lockTimeWords), ["15 minutes", "1 hour", "90 minutes", "4 hours"]);
});

it("a refusal has our sentence, or names the field", () => {
  assert.match(explain(new RequestError(400, "weak_password", "x", "/password")), /at least 8 characters/);
  assert.match(explain(new RequestError(400, "common_password", "x", "/newPassword")), /most common passwords/);
  const word = "word 3 is not in the list of English words";
  assert.equal(
    explain(new RequestError(400, "mnemonic_unknown_word", word, "/mnemonic")),
    `Check the spelling: ${word}.`,
  );
  const key = new RequestError(400, "invalid_public_key", "must be 64 hex digits", "/publicKeyEddsa");
  assert.equal(explain(key), "The EdDSA public key must be 64 hex digits.");
  const named = new RequestError(400, "invalid_public_key", "hexChainCode is not 32 bytes in hex", "/hexChainCode");
  assert.equal(explain(named), "The chain code is not 32 bytes in hex.");
  const range = new RequestError(400, "invalid_private_key", "not a private key of secp256k1", "/keys/ecdsa");
  assert.equal(explain(range), "The ECDSA private key: not a private key of secp256k1.");
});
