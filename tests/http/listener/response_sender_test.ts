/**
 * In how many writes the parts of an answer go out, and as which bytes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LeanResponse } from "../../../src/http/listener/lean_response.ts";
import { startHead } from "../../../src/http/listener/response_head.ts";
import { ResponseSender } from "../../../src/http/listener/response_sender.ts";
import type { TextParts } from "../../../src/domain/text_parts.ts";

/** Sends parts and gives what each write had, without the head. */
async function writesOf(
  texts: readonly string[],
  { tellsEnd, http10 = false, header = "x" }: {
    readonly tellsEnd: boolean;
    readonly http10?: boolean;
    readonly header?: string;
  },
): Promise<readonly string[]> {
  const writes: Uint8Array[] = [];
  const conn = {
    write(bytes: Uint8Array) {
      writes.push(bytes.slice());
      return Promise.resolve(bytes.length);
    },
  };
  let given = 0;
  const parts: TextParts = {
    next: () => Promise.resolve(texts[given++]),
    get isOver() {
      return tellsEnd && given === texts.length;
    },
    cancel: () => Promise.resolve(),
  };
  const response = LeanResponse.make(parts, { headers: { "x-header": header } });
  const sender = new ResponseSender(conn as unknown as Deno.Conn, {
    clock: { nowMs: 0 },
    onBroken() {},
  });
  let sent = 0;
  const start = startHead(response, "date: now\r\n");
  const isSent = await sender.send(response, {
    ...{ start, method: "GET", http10, persistent: true },
    onSent: () => sent++,
  });
  assert.equal(isSent, true);
  assert.equal(sent, 1);
  const [first, ...others] = writes;
  const latin1 = new TextDecoder("latin1").decode(first);
  const headEnd = latin1.indexOf("\r\n\r\n") + 4;
  assert.ok(latin1.includes(`x-header: ${header}\r\n`));
  const utf8 = new TextDecoder();
  return [utf8.decode(first!.subarray(headEnd)), ...others.map((bytes) => utf8.decode(bytes))];
}

Deno.test("ResponseSender sends the last part and the end of the answer in one write", async () => {
  const chunks = ["3\r\nabc\r\n", "a\r\ndata: [x]\n\r\n0\r\n\r\n"];
  assert.deepEqual(await writesOf(["abc", "data: [x]\n"], { tellsEnd: true }), chunks);
  assert.deepEqual(await writesOf(["whole"], { tellsEnd: true }), ["5\r\nwhole\r\n0\r\n\r\n"]);
});

Deno.test("ResponseSender ends an answer by itself whose source does not tell its last part", async () => {
  const chunks = ["3\r\nabc\r\n", "1\r\nd\r\n", "0\r\n\r\n"];
  assert.deepEqual(await writesOf(["abc", "", "d"], { tellsEnd: false }), chunks);
});

Deno.test("ResponseSender counts the bytes of a part, whatever letters it and the head have", async () => {
  const words = "Grüße, 世界 🎬";
  const size = new TextEncoder().encode(words).length.toString(16);
  for (const header of ["x", "caf\xe9"]) {
    const writes = await writesOf([words, "end"], { tellsEnd: true, header });
    assert.deepEqual(writes, [`${size}\r\n${words}\r\n`, "3\r\nend\r\n0\r\n\r\n"]);
    const last = await writesOf(["end", words], { tellsEnd: true, header });
    assert.deepEqual(last, ["3\r\nend\r\n", `${size}\r\n${words}\r\n0\r\n\r\n`]);
  }
});

Deno.test("ResponseSender frames nothing for HTTP/1.0, and no part that is too large for one write twice", async () => {
  assert.deepEqual(await writesOf(["abc", "d"], { tellsEnd: true, http10: true }), ["abc", "d"]);
  const fair = "é".repeat(30_000);
  const once = [`${(60_000).toString(16)}\r\n${fair}\r\n0\r\n\r\n`];
  assert.deepEqual(await writesOf([fair], { tellsEnd: true }), once);
  const large = "é".repeat(70_000);
  const writes = await writesOf([large], { tellsEnd: true });
  assert.equal(writes.join(""), `${(140_000).toString(16)}\r\n${large}\r\n0\r\n\r\n`);
});
