/**
 * Spans of calls: which trace they are of, what they say, and what becomes of them when nobody takes
 * them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parseOtlpHeaders } from "../../src/config/otlp_headers.ts";
import type { Span } from "../../src/telemetry/traces/span.ts";
import { writeSpans } from "../../src/telemetry/traces/span.ts";
import { type Sent, SpanQueue } from "../../src/telemetry/traces/span_queue.ts";
import { readTraceContext, writeTraceParent } from "../../src/telemetry/traces/trace_context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

Deno.test("readTraceContext() reads what the specification's examples say, and begins anew otherwise", () => {
  assert.deepEqual(readTraceContext(`00-${TRACE}-${PARENT}-01`, "a=1,b=2"), {
    traceId: TRACE,
    parentId: PARENT,
    isSampled: true,
    state: "a=1,b=2",
  });
  assert.equal(readTraceContext(`00-${TRACE}-${PARENT}-00`, null)?.isSampled, false);
  // A later version may have more behind the flags, of which only the first is known.
  assert.equal(readTraceContext(`01-${TRACE}-${PARENT}-03-more`, null)?.isSampled, true);
  const wrong = [
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${PARENT}`,
    "",
  ];
  for (const parent of wrong) assert.equal(readTraceContext(parent, null), undefined, parent);
  assert.equal(readTraceContext(null, "a=1"), undefined);
  const long = readTraceContext(`00-${TRACE}-${PARENT}-01`, "a=" + "x".repeat(600));
  assert.equal(long?.state, undefined);
  assert.equal(
    writeTraceParent({ traceId: TRACE, isSampled: false }, PARENT),
    `00-${TRACE}-${PARENT}-00`,
  );
});

const SPAN: Span = {
  traceId: TRACE,
  spanId: PARENT,
  parentSpanId: undefined,
  traceState: undefined,
  name: "chat small",
  kind: "server",
  startMs: 1_800_000_000_000.125,
  endMs: 1_800_000_000_001,
  attributes: { text: "a", whole: 3, part: 0.5, yes: true, none: undefined },
};

Deno.test("writeSpans() writes the JSON mapping of OTLP", () => {
  assert.deepEqual(JSON.parse(writeSpans([SPAN], { "service.name": "tollgate" })), {
    resourceSpans: [{
      resource: { attributes: [{ key: "service.name", value: { stringValue: "tollgate" } }] },
      scopeSpans: [{
        scope: { name: "tollgate" },
        spans: [{
          traceId: TRACE,
          spanId: PARENT,
          name: "chat small",
          kind: 2,
          startTimeUnixNano: "1800000000000125000",
          endTimeUnixNano: "1800000000001000000",
          attributes: [
            { key: "text", value: { stringValue: "a" } },
            { key: "whole", value: { intValue: "3" } },
            { key: "part", value: { doubleValue: 0.5 } },
            { key: "yes", value: { boolValue: true } },
          ],
          status: {},
        }],
      }],
    }],
  });
});

/** A queue whose timers run when they are told to, and whose collector answers as told. */
function setUp(answers: readonly Sent[], bounds: { maxWaiting?: number; maxBatch?: number } = {}) {
  const sent: number[] = [];
  const dropped: string[] = [];
  const waits: number[] = [];
  let due: (() => void) | undefined;
  const queue = new SpanQueue({
    ...bounds,
    send: (spans) => {
      sent.push(spans.length);
      return Promise.resolve(answers[sent.length - 1] ?? { outcome: "taken", rejected: 0 });
    },
    onDropped: (spans, why) => dropped.push(`${spans}: ${why}`),
    later: (run, ms) => {
      waits.push(ms);
      due = run;
      return () => due = undefined;
    },
  });
  const add = (count: number) => {
    for (let number = 0; number < count; number++) queue.add(SPAN);
  };
  const tick = async () => {
    const run = due;
    due = undefined;
    run?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { queue, sent, dropped, waits, add, tick };
}

Deno.test("SpanQueue gathers spans, and sends full batches at once", async () => {
  const { add, tick, sent, waits } = setUp([], { maxBatch: 3 });
  add(2);
  assert.deepEqual([sent, waits], [[], [5_000]]);
  await tick();
  assert.deepEqual(sent, [2]);
  add(3);
  assert.deepEqual(sent, [2, 3]);
});

Deno.test("SpanQueue tries again later and later, in bounded memory, and counts what it drops", async () => {
  const again: Sent = { outcome: "again", why: "it answered 503" };
  const { add, tick, sent, waits, dropped, queue } = setUp([again, again], {
    maxBatch: 3,
    maxWaiting: 4,
  });
  add(2);
  await tick();
  add(5);
  await tick();
  assert.deepEqual(sent, [2, 3]);
  assert.deepEqual(waits, [5_000, 10_000, 20_000]);
  await tick();
  assert.deepEqual(dropped, ["3: the collector is slower than the calls"]);
  await queue.stop(1_000);
  assert.deepEqual(sent, [2, 3, 3, 1]);
  add(1);
  assert.equal(sent.length, 4);
});

Deno.test("SpanQueue drops what a collector refuses or rejects", async () => {
  const { add, tick, dropped } = setUp([
    { outcome: "refused", why: "it answered 400" },
    { outcome: "taken", rejected: 1 },
  ]);
  add(2);
  await tick();
  add(2);
  await tick();
  assert.deepEqual(dropped, ["2: it answered 400", "1: the collector rejected them"]);
});

Deno.test("parseOtlpHeaders() reads what OTEL_EXPORTER_OTLP_HEADERS may have", () => {
  assert.deepEqual(parseOtlpHeaders("Authorization=Bearer%20a=b, x-scope=team,"), {
    authorization: "Bearer a=b",
    "x-scope": "team",
  });
  for (const wrong of ["no-value", "=x", "a b=c", "a=%zz", "a=%0d%0ab: c"]) {
    assert.equal(parseOtlpHeaders(wrong), undefined, wrong);
  }
});
