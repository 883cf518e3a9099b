/**
 * What the log writes, and what it must never write.
 *
 * @module
 */

import { workOfTokens } from "../../src/domain/work.ts";
import assert from "node:assert/strict";
import type { CallRecord } from "../../src/metering/call_record.ts";
import { createLog, type LogOptions } from "../../src/telemetry/log.ts";
import { within } from "../support/within.ts";

const NOW = Date.parse("2026-11-21T10:20:30.045Z");
const UPSTREAM_SECRET = 'upstream "secret" 0123456789';

function setUp(options: Partial<LogOptions> = {}) {
  const chunks: string[] = [];
  const log = createLog({
    format: "json",
    level: "info",
    isTerminal: false,
    color: false,
    write: (bytes) => {
      chunks.push(new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
    secrets: () => SECRETS,
    clock: { now: () => NOW },
    ...options,
  });
  return { log, chunks, text: () => chunks.join("") };
}

const SECRETS = [UPSTREAM_SECRET, "short"];

const RECORD: CallRecord = {
  status: 200,
  milliseconds: 12.4,
  call: {
    callId: 7,
    requestId: "req_aaaaaaaaaaaa7",
    projectId: "default",
    keyId: "key_1",
    capability: "chat",
    model: "small",
    provider: "openai",
    route: "openai/small",
    priceVersion: 1,
    heldE8: 500n,
    unlimited: false,
    stream: true,
    openedAt: NOW - 12,
    state: "settled",
    result: "completed",
    closedAt: NOW,
    firstByteMs: 5,
    attempts: 1,
    work: workOfTokens({
      promptTokens: 10,
      completionTokens: 20,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    }),
    usageSource: "reported",
    costE8: 100n,
    saleE8: 150n,
    chargedE8: 150n,
    lossE8: 0n,
    errorCode: undefined,
  },
};

Deno.test("call() writes one JSON line with ids, tokens and amounts", async () => {
  const { log, text } = setUp();
  log.call(RECORD);
  await log.flush();
  assert.equal(text().split("\n").length, 2);
  assert.deepEqual(JSON.parse(text()), {
    time: "2026-11-21T10:20:30.045Z",
    level: "info",
    event: "call",
    request_id: "req_aaaaaaaaaaaa7",
    project: "default",
    key: "key_1",
    capability: "chat",
    model: "small",
    provider: "openai",
    route: "openai/small",
    stream: true,
    status: 200,
    result: "completed",
    ms: 12,
    first_byte_ms: 5,
    attempts: 1,
    prompt_tokens: 10,
    completion_tokens: 20,
    usage_source: "reported",
    cost: "0.00000100",
    charged: "0.00000150",
  });
});

Deno.test("lines below the level are not written", async () => {
  const { log, text } = setUp({ level: "warn" });
  log.call(RECORD);
  log.info("hidden");
  log.debug("hidden");
  log.warn("shown");
  await log.flush();
  assert.match(text(), /"event":"shown"/);
  assert.doesNotMatch(text(), /hidden|req_/);
});

Deno.test("known secrets and key patterns are taken out of every line", async () => {
  for (const format of ["json", "pretty"] as const) {
    const { log, text } = setUp({ format });
    const key = `sk-tg-${"Ab_-".repeat(10)}abc`;
    log.error("upstream", { message: `refused ${UPSTREAM_SECRET} for ${key}, short is a word` });
    await log.flush();
    assert.match(text(), /refused \[redacted\] for \[redacted\], short is a word/);
    assert.doesNotMatch(text(), /0123456789|Ab_-/);
  }
});

Deno.test("a changed list of secrets counts from the next batch on", async () => {
  let secrets = ["first-secret-1"];
  const { log, text } = setUp({ secrets: () => secrets });
  log.info("one", { message: "first-secret-1 second-secret-2" });
  await log.flush();
  secrets = ["second-secret-2"];
  log.info("two", { message: "first-secret-1 second-secret-2" });
  await log.flush();
  const [one = "", two = ""] = text().split("\n");
  assert.match(one, /\[redacted\] second-secret-2/);
  assert.match(two, /first-secret-1 \[redacted\]/);
});

Deno.test("no value can look like a line or a colour of its own", async () => {
  for (const format of ["json", "pretty"] as const) {
    const { log, text } = setUp({ format });
    const evil = "a\nb\r\u001b[31mred\u009b31m\u2028\u202e\u007f";
    log.info(evil, { message: evil });
    await log.flush();
    assert.equal(text().indexOf("\n"), text().length - 1);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(text().slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  }
});

Deno.test("auto is pretty on a terminal and JSON elsewhere", async () => {
  const terminal = setUp({ format: "auto", isTerminal: true, color: true });
  terminal.log.info("listening", { url: "http://127.0.0.1:8080", note: "two words" });
  await terminal.log.flush();
  assert.equal(
    terminal.text(),
    '\u001b[2m10:20:30.045\u001b[0m \u001b[32mINFO \u001b[0m listening \u001b[2murl=\u001b[0mhttp://127.0.0.1:8080 \u001b[2mnote=\u001b[0m"two words"\n',
  );
  const pipe = setUp({ format: "auto" });
  pipe.log.info("listening");
  await pipe.log.flush();
  assert.equal(JSON.parse(pipe.text()).event, "listening");
});

Deno.test("priorities stand before each line as the journal reads them, and the rest is JSON", async () => {
  const { log, text } = setUp({ level: "debug", priorities: true });
  for (const level of ["debug", "info", "warn", "error"] as const) log[level]("event");
  log.call(RECORD);
  await log.flush();
  const lines = text().trimEnd().split("\n").map((line) => /^<(\d)>(\{.*\})$/.exec(line));
  assert.deepEqual(lines.map((line) => line?.[1]), ["7", "6", "4", "3", "6"]);
  assert.deepEqual(lines.slice(0, 4).map((line) => JSON.parse(line![2]!).level), [
    "debug",
    "info",
    "warn",
    "error",
  ]);
});

Deno.test("lines travel in batches, and in order", async () => {
  const { log, chunks } = setUp();
  for (let index = 0; index < 1000; index++) log.info("line", { index });
  await log.flush();
  assert.equal(chunks.length, 1);
  const seen = chunks[0]!.trim().split("\n").map((line) => JSON.parse(line).index);
  assert.deepEqual(seen, Array.from({ length: 1000 }, (_, index) => index));
});

Deno.test("a blocked pipe costs bounded memory; lost lines are counted and told", async () => {
  const blocked = Promise.withResolvers<void>();
  const chunks: string[] = [];
  const { log } = setUp({
    write: async (bytes) => {
      chunks.push(new TextDecoder().decode(bytes));
      await blocked.promise;
    },
  });
  log.info("first");
  const flushed = log.flush();
  const filler = "x".repeat(1000);
  for (let index = 0; index < 10_000; index++) log.info("line", { filler });
  blocked.resolve();
  await flushed;
  await log.flush();
  const text = chunks.join("");
  assert.ok(text.length < 5 * 1024 * 1024, `wrote ${text.length}`);
  const kept = text.split('"event":"line"').length - 1;
  const told = /"event":"log.lines_dropped","lines":(\d+)/.exec(text);
  assert.equal(kept + Number(told?.[1]), 10_000);
});

Deno.test("a reader that went away does not disturb the gateway", async () => {
  const { log } = setUp({ write: () => Promise.reject(new Deno.errors.BrokenPipe("gone")) });
  log.info("one");
  await log.flush();
  log.info("two");
  await log.flush();
});

Deno.test("long values are cut, with a mark and without half a secret", async () => {
  for (const format of ["json", "pretty"] as const) {
    const { log, text } = setUp({ format });
    const straddling = "p".repeat(990) + UPSTREAM_SECRET + "q".repeat(60_000);
    log.info("request", { path: `/${"x".repeat(60_000)}`, method: "GET", cause: straddling });
    log.info("short", { message: "y".repeat(999) });
    await log.flush();
    const [long, short] = text().split("\n");
    assert.ok(long!.length < 2_500, `${long!.length} characters`);
    assert.match(long!, /x{900,999}… \(60001 characters\)/);
    assert.match(long!, /method\W+GET/);
    assert.doesNotMatch(long!, /upstream|secret|q{20}/);
    assert.match(short!, /y{999}/);
  }
});

for (let turns = 0; turns < 8; turns++) {
  Deno.test(`the log writes what is logged ${turns} turns after a batch was written`, async () => {
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const chunks: string[] = [];
    const { log } = setUp({
      write(bytes) {
        chunks.push(new TextDecoder().decode(bytes));
        if (chunks.length === 1) void after(turns, () => log.info("second", {}));
        else resolve();
        return Promise.resolve();
      },
    });
    log.info("first", {});
    // Nobody flushes: it must come by itself.
    await within(10_000, written, () => `only this was written: ${chunks}`);
    assert.deepEqual(chunks.map((chunk) => JSON.parse(chunk).event), ["first", "second"]);
  });
}

async function after(turns: number, act: () => void): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  act();
}
