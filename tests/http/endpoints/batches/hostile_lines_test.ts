/**
 * Files of batches that no client of good will would send.
 *
 * @module
 */

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { chatLine, startBatchScene } from "../../../support/batch_scene.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A line whose body has lists in lists, so many. */
function nested(depth: number): string {
  const [before, after] = chatLine("deep", "x", { deep: "HERE" }).split('"HERE"');
  return before + "[".repeat(depth) + "]".repeat(depth) + after;
}

Deno.test("lines that are no requests are told each, and none is asked", async () => {
  await using at = await startBatchScene();
  const notUtf8 = bytes(chatLine("utf", "x#x"));
  notUtf8[notUtf8.indexOf(0x23)] = 0xff;
  const lines: BlobPart[] = [
    `\ufeff${chatLine("bom")}\r`,
    nested(100_000),
    notUtf8,
    chatLine("nul").replace("Hello", "a\0b"),
    chatLine("parts", "x", { parts: Array(20_000).fill({ a: {} }).concat(Array(90_000).fill({})) }),
    "\r",
    "[]",
    '"text"',
    "null",
    chatLine("id").replace('"id"', `"${"i".repeat(513)}"`),
    `{"custom_id":"far","url":"http://example.com/v1/chat/completions","method":"POST","body":{}}`,
    chatLine("x".repeat(512)),
  ];
  const batch = await at.ended((await at.create(lines)).id);
  assert.equal(batch.status, "failed");
  assert.deepEqual(batch.errors!.data.map(({ code, line }) => [line, code]), [
    [2, "invalid_json_line"],
    [3, "invalid_json_line"],
    [4, "invalid_json_line"],
    [5, "invalid_json_line"],
    [7, "invalid_json_line"],
    [8, "invalid_json_line"],
    [9, "invalid_json_line"],
    [10, "missing_required_parameter"],
    [11, "invalid_url"],
  ]);
  assert.equal(at.upstream.requests.length, 0);
});

Deno.test("a zipped file is no file of requests, and not more than a hundred faults are told", async () => {
  await using at = await startBatchScene();
  const zipped = gzipSync(chatLine("a"));
  const one = await at.ended((await at.create([new Uint8Array(zipped)])).id);
  assert.equal(one.errors!.data[0]!.code, "invalid_json_line");
  const many = await at.ended((await at.create(Array(5_000).fill("x"))).id);
  assert.deepEqual([many.status, many.errors!.data.length], ["failed", 100]);
});

Deno.test("a million empty lines are none, and a line of 100 MB is held nowhere", async () => {
  await using at = await startBatchScene();
  const empty = "\n".repeat(1_000_000);
  const done = await at.ended((await at.create([empty + chatLine("a") + empty])).id);
  assert.deepEqual([done.status, done.request_counts.total], ["completed", 1]);
  const none = await at.ended((await at.create([empty])).id);
  assert.deepEqual(none.errors!.data.map(({ code }) => code), ["empty_file"]);
  const file = new Blob(Array(100).fill(new Uint8Array(1_000_000).fill(0x20)));
  const cut = await at.ended((await at.create([chatLine("a"), file, chatLine("b")])).id);
  assert.deepEqual(cut.errors!.data.map(({ code, line }) => [line, code]), [[2, "line_too_long"]]);
});

Deno.test("the lines of a batch have no more than 50,000 texts embedded together", async () => {
  await using at = await startBatchScene();
  const line = (id: string, input: unknown) =>
    JSON.stringify({
      custom_id: id,
      method: "POST",
      url: "/v1/embeddings",
      body: { model: "e", input },
    });
  const lines = Array.from({ length: 24 }, (_, at) => line(`l${at}`, Array(2_048).fill("x")));
  const most = 50_000 - 24 * 2_048;
  const failed = await at.ended(
    (await at.create([
      ...lines,
      line("tokens", Array(3_000).fill(1)),
      line("rest", Array(most).fill("x")),
    ], { endpoint: "/v1/embeddings" })).id,
  );
  assert.deepEqual(failed.errors!.data.map(({ code, line }) => [line, code]), [
    [26, "too_many_inputs"],
  ]);
  assert.equal(at.upstream.requests.length, 0);
});
