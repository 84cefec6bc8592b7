import assert from "node:assert/strict";
import { it } from "node:test";
import { originParts, registrable } from "../src/popup/origin";
import { toUnicode } from "../src/popup/punycode";

it("an origin is shown whole, with the registered part apart", () => {
  for (const origin of ["https://app.uniswap.org", "https://a.b.example.co.uk:8443", "http://localhost:3000", "https://[2001:db8::1]:8443", "https://203.0.113.7"]) {
    const { scheme, sub, main, port } = originParts(origin);
    assert.equal(scheme + sub + main + port, origin);
  }
  assert.deepEqual(registrable("uniswap.org.evil.example"), ["uniswap.org.", "evil.example"]);
  assert.deepEqual(registrable("a.b.example.co.uk"), ["a.b.", "example.co.uk"]);
  assert.deepEqual(registrable("uniswap.vercel.app"), ["", "uniswap.vercel.app"]);
  assert.deepEqual(registrable("x.uniswap.pages.dev"), ["x.", "uniswap.pages.dev"]);
  assert.deepEqual(registrable("localhost"), ["", "localhost"]);
});

it("punycode stays, with what it reads as beside it", () => {
  assert.equal(toUnicode("xn--bcher-kva.example"), "bücher.example");
  assert.equal(toUnicode("xn--fiqs8s"), "中国");
  assert.equal(toUnicode("xn--80ak6aa92e.com"), "аррӏе.com");
  assert.equal(toUnicode("plain.example"), "plain.example");
  for (const broken of ["xn--", "xn--\u{1f600}", "xn--999999999", "xn---"]) toUnicode(broken);
  const { main, reads, isMixed } = originParts("https://xn--80ak6aa92e.com");
  assert.deepEqual([main, reads, isMixed], ["xn--80ak6aa92e.com", "аррӏе.com", true], "Cyrillic letters that look Latin");
  assert.equal(originParts("https://xn--bcher-kva.example").isMixed, false);
  assert.equal(originParts("https://xn--pypal-4ve.com").isMixed, true, "Latin and Cyrillic in one label");
});

it("a text that is no origin is shown without hidden letters", () => {
  assert.equal(originParts("https://\u202egro.elpmaxe").main.includes("\u202e"), false);
});
