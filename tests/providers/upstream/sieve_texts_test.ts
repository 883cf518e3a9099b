import assert from "node:assert/strict";
import { GatewayError } from "../../../src/errors.ts";
import { LongTexts } from "../../../src/files/long_texts.ts";
import { sieveTexts } from "../../../src/providers/upstream/sieve_texts.ts";
import type { UpstreamResponse } from "../../../src/providers/transport/contract.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { spoolWorld } from "../../support/spool_world.ts";
import { until } from "../../support/until.ts";

const TIMEOUTS = { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 };
const LONG = "iVBORw0K/+-_=".repeat(1_500);

/** A body in pieces of so many bytes; says whether it was closed. */
function responseOf(body: string, pieceBytes: number) {
  const bytes = new TextEncoder().encode(body);
  let at = 0;
  const closed = { is: false };
  const response: UpstreamResponse = {
    status: 200,
    header: () => undefined,
    read() {
      const piece = bytes.slice(at, at + pieceBytes);
      at += piece.length;
      return Promise.resolve(piece.length === 0 ? undefined : piece);
    },
    text: () => Promise.reject(new Error("not asked for")),
    close: () => void (closed.is = true),
    release: () => {},
  };
  return { response, closed };
}

type World = Awaited<ReturnType<typeof spoolWorld>>;

function longTexts({ spool, stay }: World) {
  const held = stay();
  const texts = new LongTexts(async () => {
    const part = await spool.create("p");
    held.whenSent(() => void part.remove());
    return part;
  });
  return { texts, held };
}

async function spelled(texts: LongTexts, text: string): Promise<string> {
  const parts = texts.spell(text);
  if (typeof parts === "string") return parts;
  let all = "";
  for (let part = await parts.next(); part !== undefined; part = await parts.next()) all += part;
  return all;
}

Deno.test("long texts of an answer go to the disk and come back, wherever it is cut", async () => {
  await using world = await spoolWorld();
  const body = JSON.stringify({
    created: 1,
    [`key "in" \\ quotes`]: ["", "a\\", '\\"', "ü\n€", { x: "short" }],
    data: [{ b64_json: LONG, revised_prompt: 'Ein "Fuchs" '.repeat(3_000) }, { url: LONG }],
    just: "A".repeat(16 * 1024),
    beyond: "A".repeat(16 * 1024 + 1),
    last: "end",
  });
  for (const pieceBytes of [1, 2, 7, 1_000, 16 * 1024, 1e6]) {
    const { texts, held } = longTexts(world);
    const { response } = responseOf(body, pieceBytes);
    const text = await sieveTexts(response, { texts, timeouts: TIMEOUTS }).text(1e6);
    assert.equal(text.length < body.length - 2 * LONG.length, true, String(text.length));
    const value = JSON.parse(text);
    assert.match(value.data[0].b64_json, /^long-text:[0-9a-f-]{36}:0;$/);
    assert.equal(value.just.length, 16 * 1024);
    assert.match(value.beyond, /^long-text:/);
    assert.equal(world.files().length, 3);
    assert.equal(await spelled(texts, JSON.stringify(value)), body);
    held.leave();
    await until("no file is left", () => world.files().length === 0);
    assert.equal(world.budget.usedBytes, 0);
  }
});

Deno.test("a quote in a comment of a stream opens no text, nor does one that its line does not end", async () => {
  await using world = await spoolWorld();
  const event = `data: {"b64_json":"${LONG}"}\n\n`;
  const body = `: it is "alive\n\n${event}data: {"cut":"abc\r\n${event}: "end`;
  for (const pieceBytes of [1, 64, 1e6]) {
    const { texts } = longTexts(world);
    const { response } = responseOf(body, pieceBytes);
    const text = await sieveTexts(response, { texts, timeouts: TIMEOUTS }).text(1e6);
    assert.equal(text.match(/long-text:/g)!.length, 2);
    assert.equal(await spelled(texts, text), body);
  }
});

Deno.test("a stream whose caller has left is read on to its counts, and nothing more goes to the disk", async () => {
  await using world = await spoolWorld();
  const { texts, held } = longTexts(world);
  const event = `data: {"b64_json":"${LONG}"}\n\n`;
  const { response, closed } = responseOf(`${event}${event}data: {"usage":{"n":7}}\n\n`, 12 * 1024);
  const sieved = sieveTexts(response, { texts, timeouts: TIMEOUTS });
  const parts = texts.spellParts({
    next: () => Promise.resolve(undefined),
    // As a relay does: what is left of the stream is read while the caller's cancelling waits.
    async cancel() {
      const text = await sieved.text(1e6);
      assert.match(text, /"usage":\{"n":7\}/);
      assert.ok(text.length < 1_000);
    },
  });
  await sieved.read(1);
  await sieved.read(1);
  const begun = await texts.begin();
  await begun.write(new Uint8Array(9));
  assert.equal(world.files().length, 2);
  held.leave();
  const over = parts.cancel();
  await begun.write(new Uint8Array(9));
  begun.end();
  await over;
  assert.equal(closed.is, false);
  await until("no file is left", () => world.files().length === 0);
  await until("no room is taken", () => world.budget.usedBytes === 0);
});

Deno.test("an image whose base64 is written with escapes is the same image, wherever it is cut", async () => {
  await using world = await spoolWorld();
  const escaped = `${LONG}\\/\\u002f${LONG}\\u003D\\u003d`;
  for (const pieceBytes of [1, 3, 4_096, 1e6]) {
    const { texts, held } = longTexts(world);
    const { response } = responseOf(`{"b64_json":"${escaped}","n":1}`, pieceBytes);
    const text = await sieveTexts(response, { texts, timeouts: TIMEOUTS }).text(1e6);
    assert.equal(world.files().length, 1);
    assert.equal(await spelled(texts, text), `{"b64_json":"${LONG}//${LONG}==","n":1}`);
    held.leave();
    await until("no file is left", () => world.files().length === 0);
  }
});

Deno.test("an image that is not base64, or that has no end, is no answer", async () => {
  await using world = await spoolWorld();
  for (const wrong of [" ", "\\n", "\n", "é", "\0", "<", "\\u003x", "\\u0020", '\\"']) {
    const { texts, held } = longTexts(world);
    const { response, closed } = responseOf(`{"b64_json":"${LONG}${wrong}${LONG}"}`, 999);
    await assert.rejects(
      sieveTexts(response, { texts, timeouts: TIMEOUTS }).text(1e6),
      (error) => error instanceof UpstreamError && /not base64/.test(error.message),
    );
    assert.ok(closed.is);
    held.leave();
  }
  const { texts, held } = longTexts(world);
  const { response } = responseOf(`{"b64_json":"${LONG}`, 999);
  const text = await sieveTexts(response, { texts, timeouts: TIMEOUTS }).text(1e6);
  assert.throws(() => JSON.parse(text));
  held.leave();
  await until("no file is left", () => world.files().length === 0);
});

Deno.test("a name that an upstream makes up stands for nothing", async () => {
  await using world = await spoolWorld();
  const { texts } = longTexts(world);
  const body = `{"a":"${LONG}","b":"long-text:00000000-0000-4000-8000-000000000000:0;"}`;
  const { response } = responseOf(body, 999);
  const text = await sieveTexts(response, { texts, timeouts: TIMEOUTS }).text(1e6);
  assert.equal(await spelled(texts, text), body);
});

Deno.test("a disk without room ends the answer, and an answer without end is closed", async () => {
  await using world = await spoolWorld({ room: 10 });
  const { texts } = longTexts(world);
  const { response, closed } = responseOf(`{"b64_json":"${LONG}"}`, 999);
  await assert.rejects(
    sieveTexts(response, { texts, timeouts: TIMEOUTS }).text(1e6),
    (error) => error instanceof GatewayError && error.error === "storage_full",
  );
  assert.ok(closed.is);
  const endless = responseOf("", 1);
  const spaces = new Uint8Array(8 * 1024 ** 2).fill(0x20);
  const read = () => Promise.resolve(spaces);
  const sieved = sieveTexts({ ...endless.response, read }, { texts, timeouts: TIMEOUTS });
  await assert.rejects(async () => {
    while (await sieved.read(1) !== undefined);
  }, /larger than/);
  assert.ok(endless.closed.is);
});
