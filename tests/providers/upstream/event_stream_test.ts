/**
 * Streams whose upstream never ends them.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import { DEFAULT_TIMEOUTS } from "../../../src/domain/catalogue.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { EventParser } from "../../../src/providers/upstream/event_parser.ts";
import { EventFeed, type EventReader } from "../../../src/providers/upstream/event_feed.ts";
import { EventStream } from "../../../src/providers/upstream/event_stream.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const REST_MS = 10_000;
const MEBIBYTE = 1024 * 1024;
const MOST_READS = 1_000;

/** What an upstream sends in each read, the last one again and again. */
function streamOf(reads: readonly string[]) {
  const clock = new FakeClock();
  const ended: string[] = [];
  const events: AnswerEvent[] = [];
  let isAllThere = false;
  let count = 0;
  let isClosed = false;
  const reader: EventReader = {
    endMark: undefined,
    isOver: false,
    get restMs() {
      return isAllThere ? REST_MS : undefined;
    },
    read({ last, text }, _name, into) {
      if (last === true) isAllThere = true;
      if (typeof text === "string") into.push({ chunk: { text } } as unknown as AnswerEvent);
    },
    end: (by) => void ended.push(by),
    cutShort: () => {},
  };
  const stream = new EventStream({
    status: 200,
    header: () => undefined,
    read() {
      assert.ok(count < MOST_READS, "it is read without end");
      clock.advance(1_000);
      return Promise.resolve(new TextEncoder().encode(reads[Math.min(count++, reads.length - 1)]!));
    },
    text: () => Promise.reject(new Error("nobody asks for all of it")),
    close: () => void (isClosed = true),
    release: () => {},
  }, {
    clock,
    timeouts: DEFAULT_TIMEOUTS,
    sentAt: clock.monotonic(),
    feed: new EventFeed({
      reader,
      framing: (onEvent) => new EventParser(onEvent),
      refuseError: () => {},
    }),
  });
  async function readAll(): Promise<void> {
    for (let some = await stream.next(); some !== undefined; some = await stream.next()) {
      events.push(...some);
    }
  }
  return { readAll, ended, events, reads: () => count, isClosed: () => isClosed };
}

Deno.test("an answer that is all there does not wait for an upstream that goes on sending", async () => {
  const stream = streamOf([
    'data: {"text":"Hi"}\n\n',
    'data: {"last":true}\n\n',
    'data: {"last":true}\n\n',
  ]);
  await stream.readAll();
  assert.deepEqual(stream.ended, ["body"]);
  assert.equal(stream.events.length, 1);
  assert.equal(stream.isClosed(), true);
  assert.ok(stream.reads() <= 2 + REST_MS / 1_000, `${stream.reads()} reads`);
});

Deno.test("a stream of events that say nothing is broken, whatever they come to", async () => {
  const stream = streamOf([
    'data: {"text":"Hi"}\n\n',
    `: ${" ".repeat(MEBIBYTE)}\n\ndata: {}\n\n`,
  ]);
  await assert.rejects(
    stream.readAll(),
    (error) => error instanceof UpstreamError && error.failure === "broken",
  );
  assert.deepEqual(stream.ended, []);
  assert.equal(stream.events.length, 1);
  assert.equal(stream.isClosed(), true);
  assert.ok(stream.reads() < 200, `${stream.reads()} reads`);
});

Deno.test("an answer may be as long as it likes while it says something", async () => {
  const texts = Array.from(
    { length: 150 },
    (_, index) => `: ${" ".repeat(MEBIBYTE)}\n\ndata: {"text":"${index}"}\n\n`,
  );
  const stream = streamOf([...texts, 'data: {"last":true}\n\n']);
  await stream.readAll();
  assert.equal(stream.events.length, texts.length);
});
