/**
 * What is taken out of texts before they are kept, and what is left alone.
 *
 * @module
 */

import assert from "node:assert/strict";
import { redactPatternFault } from "../../src/domain/redact_pattern.ts";
import { OwnPattern } from "../../src/prompts/own_pattern.ts";
import { Redactor } from "../../src/prompts/redactor.ts";
import { Shortener } from "../../src/prompts/shorten.ts";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";

/** Text, what of it may not be left, and what stands there instead. */
const TAKEN: readonly (readonly [text: string, secret: string, name: string])[] = [
  ["write to ada.lovelace+x@example.co.uk, please", "lovelace", "email"],
  ["pay with 4111 1111 1111 1111 today", "4111", "card"],
  ["5500-0055-5555-5559", "5500", "card"],
  ["card:378282246310005.", "3782", "card"],
  ["DE89 3704 0044 0532 0130 00 is mine", "3704", "iban"],
  ["gb33bukb20201555555555", "bukb", "iban"],
  ["call +49 (0)171 1234567", "1234567", "phone"],
  ["call (415) 555-2671 now", "555", "phone"],
  ["call 030 / 1234567", "1234567", "phone"],
  ["key sk-proj-abcdefghijklmnop1234", "abcdefgh", "key"],
  ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefgh", "key"],
  ["AKIAIOSFODNN7EXAMPLE", "IOSF", "key"],
  ["Authorization: Bearer abcdefghijklmnop.qrstuv", "abcdefgh", "token"],
  [`token ${JWT} end`, "eyJ", "token"],
  ["DB_PASSWORD=hunter22!", "hunter", "secret"],
  [`{"api_key": "0123456789"}`, "0123456789", "secret"],
  ["postgres://bob:s3cret@db/x", "s3cret", "secret"],
  [
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "MIIEow",
    "private key",
  ],
  ["-----BEGIN PRIVATE KEY-----\nMIIEow without an end", "MIIEow", "private key"],
];

for (const [text, secret, name] of TAKEN) {
  Deno.test(`redacted as ${name}: ${text.slice(0, 40)}`, () => {
    const redactor = new Redactor();
    const left = redactor.redact(text);
    assert.ok(!left.includes(secret), left);
    assert.ok(left.includes(`[${name}]`), left);
    assert.deepEqual(redactor.redacted, { [name]: 1 });
  });
}

Deno.test("what only looks like it is left alone", () => {
  for (
    const text of [
      "order 4111 1111 1111 1112 of 2026-11-23 at 12:30",
      "DE12 ABCD EFGH IJKL MNOP QR",
      "1700000000000 ms, version 1.2.3, 10.0.0.1, 3.14159265358979",
      "the bearer of bad news, @ada, a@b",
      "https://example.com/a?b=c",
    ]
  ) assert.equal(new Redactor().redact(text), text);
});

Deno.test("a project's own patterns: literal, with a digit, a character or many", () => {
  const redactor = new Redactor(["Project Nightingale", "CUST-####", "acct:*"]);
  const left = redactor.redact("project nightingale of CUST-1234 (CUST-12), acct:zz.9/(x) (.+)+$");
  assert.equal(left, "[redacted] of [redacted] (CUST-12), [redacted] (.+)+$");
});

Deno.test("patterns that would redact everything, or take long, are refused", () => {
  for (const pattern of ["", "*", "a*", "###", "?abc", "ab*cd*e", "x".repeat(101), "abc\nd"]) {
    assert.ok(redactPatternFault(pattern) !== undefined, pattern);
  }
  for (const pattern of ["abc", "CUST-*-x", "(a+)+$"]) {
    assert.equal(redactPatternFault(pattern), undefined, pattern);
  }
  assert.equal(new Redactor(["(a+)+$"]).redact("aaaa (a+)+$"), "aaaa [redacted]");
});

Deno.test("files, links and seals are named, not kept; secrets are found in keys, numbers and inner JSON", () => {
  const data = "QUJD".repeat(200);
  const redactor = new Redactor();
  const shortener = new Shortener(redactor, 100_000);
  const kept = shortener.shorten({
    messages: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
          { type: "image_url", image_url: { url: "https://u:p@img.test/x?token=abc" } },
          { type: "image", source: { type: "base64", media_type: "image/jpeg", data } },
          { type: "text", text: `see ${data} and data:application/pdf;base64,${data}` },
        ],
      },
      { type: "thinking", thinking: "hm", signature: "c2VhbA==" },
    ],
    tool: { "ada@example.com": 4111111111111111, args: '{"to":"b\\u006fb@example.com"}' },
  });
  assert.deepEqual(kept, {
    messages: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "[image/png, 600 bytes]" } },
          { type: "image_url", image_url: { url: "[link to img.test]" } },
          {
            type: "image",
            source: { type: "base64", media_type: "image/jpeg", data: "[600 bytes]" },
          },
          { type: "text", text: "see [600 bytes] and [application/pdf, 600 bytes]" },
        ],
      },
      { type: "thinking", thinking: "hm", signature: "[sealed]" },
    ],
    tool: { "[email]": "[card]", args: '{"to":"[email]"}' },
  });
  assert.equal(shortener.isCut, false);
});

Deno.test("what is too long is cut from the beginning on, with a mark and no half secret", () => {
  const shortener = new Shortener(new Redactor(), 20_000);
  const kept = JSON.stringify(shortener.shorten({
    messages: [
      { content: "oldest" + "x ".repeat(20_000) },
      { content: "y ".repeat(4_995) + "4111 1111 1111 1111" + " z".repeat(9_000) },
      { content: "newest" },
    ],
  }));
  assert.ok(shortener.isCut);
  assert.ok(kept.length < 25_000, String(kept.length));
  assert.match(kept, /newest/);
  assert.match(kept, /\[cut/);
  assert.ok(!kept.includes("4111"));
  assert.ok(!kept.includes("oldest"));
});

Deno.test("wherever a text is cut, no part of a secret at that place is kept", () => {
  const before = "y ".repeat(40);
  for (const [text, secret] of TAKEN) {
    const whole = before + text + " z".repeat(9_000);
    for (let room = before.length - 1; room <= before.length + text.length + 1; room++) {
      // A value takes 8 characters besides its text's.
      const shortener = new Shortener(new Redactor(), room + 8);
      const kept = String(shortener.shorten(whole));
      assert.ok(shortener.isCut);
      assert.ok(!kept.includes(secret.slice(0, 4)), `cut at ${room}: ${kept.slice(70, 200)}`);
    }
  }
});

Deno.test("a pattern with a star finds what the expression that spells it out finds", () => {
  const cases: readonly (readonly [pattern: string, expression: RegExp])[] = [
    ["ab*ba", /ab\S{0,128}ba/giu],
    ["aab*", /aab\S{0,128}/giu],
    ["a?b*#a", /a\Sb\S{0,128}\da/giu],
    ["aaa*aab", /aaa\S{0,128}aab/giu],
    ["a b*b a", /a b\S{0,128}b a/giu],
    ["ab*😀a", /ab\S{0,128}😀a/giu],
  ];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(seed / 2 ** 31 * below);
  };
  const signs = ["a", "b", "A", "1", " ", "😀", "a".repeat(60), "b1a", "aab"];
  let found = 0;
  for (let number = 0; number < 3_000; number++) {
    const text = Array.from({ length: random(30) }, () => signs[random(signs.length)]).join("");
    for (const [pattern, expression] of cases) {
      const left = new OwnPattern(pattern).replaceIn(text, () => "[x]");
      // Its star counts characters, of which some take two places.
      if (text.includes("😀") && text.length > 120) continue;
      assert.equal(left, text.replaceAll(expression, "[x]"), `${pattern} in ${text}`);
      if (left !== text) found++;
    }
  }
  assert.ok(found > 1_000, String(found));
});
