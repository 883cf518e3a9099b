/**
 * Heads that are known are read as if they were not.
 *
 * @module
 */
import assert from "node:assert/strict";
import { RecentHeads } from "../../../src/http/listener/recent_heads.ts";
import { parseHead } from "../../../src/http/listener/request_head.ts";

const encoder = new TextEncoder();

const HEAD = "POST /v1/chat/completions HTTP/1.1\r\nHost: a.example\r\n" +
  "Authorization: Bearer sk-tg-one\r\nContent-Length:  120 \r\nX-Note: content-length: 5\r\n\r\n";

Deno.test("RecentHeads gives the same head again, and another length where only that differs", () => {
  const heads = new RecentHeads();
  const first = heads.parse(encoder.encode(HEAD));
  assert.equal(heads.parse(encoder.encode(HEAD)), first);
  const other = heads.parse(encoder.encode(HEAD.replace("120", "987")));
  assert.deepEqual(other, parseHead(encoder.encode(HEAD.replace("120", "987"))));
  assert.deepEqual(heads.parse(encoder.encode(HEAD)), first);
});

Deno.test("RecentHeads reads a head as it would be read alone, whatever came before", () => {
  const heads = new RecentHeads();
  const usual = encoder.encode(HEAD);
  for (let index = 0; index < usual.length; index++) {
    for (const byte of [0, 9, 10, 13, 32, 44, 48, 57, 58, 97, 127, 200]) {
      heads.parse(usual);
      const odd = usual.slice();
      odd[index] = byte;
      assert.deepEqual(heads.parse(odd), parseHead(odd), `byte ${byte} at ${index}`);
    }
  }
});

Deno.test("RecentHeads takes no byte order mark for a part of a length", () => {
  // With each its place among the known is worked out from other bytes.
  for (let more = 0; more < 20; more++) {
    const heads = new RecentHeads();
    const head = (length: string) =>
      encoder.encode(
        HEAD.replace("120", length).replace("a.example", `a${"b".repeat(more)}.example`),
      );
    assert.equal("status" in heads.parse(head("00120")), false);
    const odd = heads.parse(head("\ufeff12"));
    assert.deepEqual(odd, { status: 400, message: "The Content-Length is malformed" });
  }
});

Deno.test("a byte order mark is no part of a head that is skipped", () => {
  const head = parseHead(encoder.encode(`\ufeff${HEAD}`));
  assert.deepEqual(head, { status: 400, message: "The request method is malformed" });
});

Deno.test("RecentHeads keeps heads without a length apart from others, and long ones not at all", () => {
  const heads = new RecentHeads();
  for (
    const text of [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: b\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
      `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${"x".repeat(4000)}\r\n\r\n`,
    ]
  ) {
    const bytes = encoder.encode(text);
    for (let again = 0; again < 2; again++) assert.deepEqual(heads.parse(bytes), parseHead(bytes));
  }
});

Deno.test("RecentHeads reads heads of many keys and lengths as they would be read alone", () => {
  const heads = new RecentHeads();
  const of = (key: string, length: string) => HEAD.replace("sk-tg-one", key).replace("120", length);
  const twice = (key: string) => of(key, "100").replace("\r\n\r\n", "\r\nauthorization: b\r\n\r\n");
  const first = (key: string) => twice(key).replace("Host", "Authorization: a\r\nHost");
  const none = (key: string) => of("", key).replace("Bearer ", "").replace("120", "5");
  for (let round = 0; round < 3; round++) {
    for (let index = 100; index < 300; index++) {
      const key = `sk-tg-${index}`;
      for (
        const text of [
          of(key, "100"),
          of(key, String(index)),
          of(` ${key.slice(2)}`, "100"),
          of(key, "100").replace("Authorization", "authorization"),
          twice(key),
          first(key),
          none(String(index)),
        ]
      ) {
        const bytes = encoder.encode(text);
        assert.deepEqual(heads.parse(bytes), parseHead(bytes), text);
      }
    }
  }
});
