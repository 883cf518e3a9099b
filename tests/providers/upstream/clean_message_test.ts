import assert from "node:assert/strict";
import { cleanMessage } from "../../../src/providers/upstream/clean_message.ts";

const CONCEALED = { secrets: ["S3cret+key/value==", "abc"], host: "llm.internal:8443" };

const ROWS: readonly [name: string, message: string, cleaned: string | undefined][] = [
  ["an ordinary message", "Invalid 'n': must be at least 1.", "Invalid 'n': must be at least 1."],
  ["a link to public documents", "See https://platform.openai.com/docs/errors.", undefined],
  ["a known secret", "key S3cret+key/value== is wrong", "key [redacted] is wrong"],
  ["a percent-encoded secret", "?k=S3cret%2Bkey%2Fvalue%3D%3D!", "?k=[redacted]!"],
  ["no short secret, which may be a word", "abc is a word", "abc is a word"],
  ["what looks like a key", "Incorrect key sk-proj-abcdefgh12345", "Incorrect key [redacted]"],
  ["a URL with a query", "GET https://a.example.com/x?key=1 failed", "GET [url] failed"],
  ["a URL with credentials", "at https://u:p@a.example.com/x now", "at [url] now"],
  ["a URL with a port", "at http://gpu-7.example.com:8000/v1 now", "at [url] now"],
  ["a URL of a machine", "at http://gpu7/v1 and http://10.0.0.1/v1", "at [url] and [url]"],
  ["a URL of the cluster", "at http://vllm.prod.svc/v1", "at [url]"],
  ["a URL of the upstream", "at https://llm.internal/v1", "at [url]"],
  ["another scheme", "redis://:pw@cache.example.com/0 is down", "[url] is down"],
  ["the upstream's name", "llm.internal:8443 and llm.internal say no", undefined],
  ["an IPv4 address", "dial tcp 10.1.2.3:443: refused", "dial tcp [address]: refused"],
  ["an IPv6 address", "dial [fe80::1]:443 and 2001:db8:0:1::1", undefined],
  [
    "a Python traceback",
    'Bad input\nTraceback (most recent call last):\n  File "/app/x.py", line 1\nKeyError',
    "Bad input",
  ],
  ["a JavaScript stack", "Bad input\n    at f (/app/x.js:1:2)\n    at g", "Bad input"],
  ["a source file", "assert failed in /opt/vllm/engine/core.py:117", "assert failed in [file]"],
  ["control characters", "a\r\nb\u0000c\u2028d", "a b c d"],
  ["nothing but a stack", "Traceback (most recent call last):\n x", undefined],
  ["blanks", "  \n ", undefined],
];

const OTHERWISE: Readonly<Record<string, string>> = {
  "a link to public documents": "See https://platform.openai.com/docs/errors.",
  "the upstream's name": "[upstream] and [upstream] say no",
  "an IPv6 address": "dial [address] and [address]",
};

for (const [name, message, cleaned] of ROWS) {
  Deno.test(`cleanMessage() cleans ${name}`, () => {
    assert.equal(cleanMessage(message, CONCEALED), OTHERWISE[name] ?? cleaned);
  });
}

Deno.test("cleanMessage() bounds a message without cutting a character in two", () => {
  const cleaned = cleanMessage("😀".repeat(2_000), CONCEALED)!;
  assert.ok(cleaned.length <= 500);
  assert.ok(cleaned.isWellFormed());
  assert.ok(cleaned.endsWith("😀…"));
});

Deno.test("cleanMessage() takes hostile messages in its stride", () => {
  for (const unit of ["http://", "1.", "[::", "/a", 'File "', "a:", "sk-", " at x"]) {
    cleanMessage(unit.repeat(1_000_000 / unit.length), CONCEALED);
  }
});
