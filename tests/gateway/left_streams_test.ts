/**
 * Callers that leave in mid-answer, and thoughts that nobody has seen.
 *
 * @module
 */

import { nested } from "../support/nested_tokens.ts";
import assert from "node:assert/strict";
import type { Work } from "../../src/domain/work.ts";
import { LeftStreams } from "../../src/gateway/left_streams.ts";
import { CountingHabits } from "../../src/metering/counting_habits.ts";
import type { AnswerEvent } from "../../src/dialects/base/answer.ts";
import { prices, rates, route } from "../support/catalogue_parts.ts";
import { FakeTimeline } from "../support/fake_timeline.ts";
import { relayBench, type RelayParts, written } from "../support/relay_bench.ts";

const COUNTS: Work = { input: 10, output: 2, reasoning: 20_000 };
/** The same, if none of it was thought. */
const PLAIN: Work = { input: 10, output: 20_002 };
const thinks = { reasoning_effort: "high" };

/** Streams of which "Forty" was read, and what becomes of them once their callers leave. */
function bench() {
  const timeline = new FakeTimeline();
  const habits = new CountingHabits();
  const left = new LeftStreams({ delay: timeline.delay, habits });
  return {
    timeline,
    habits,
    left,
    async leave(parts: Partial<RelayParts> = {}) {
      const more = Promise.withResolvers<readonly AnswerEvent[] | undefined>();
      const world = relayBench({
        first: [written("Forty")],
        next: () => more.promise,
        habits,
        left,
        waitedMs: 100,
        ...parts,
      });
      await world.relay.next();
      const leaving = world.relay.cancel();
      await timeline.settle();
      return {
        ...world,
        leaving,
        /** The upstream's counts come. */
        count: (usage = COUNTS) =>
          more.resolve([written("-two", { usage, usageBody: {}, finished: true })]),
        /** The upstream ends its stream. */
        end: () => more.resolve(undefined),
      };
    },
    /** Which of these are billed by now. */
    async closedAfter(ms: number, calls: readonly { readonly closed: readonly unknown[] }[]) {
      await timeline.advance(ms);
      return calls.map(({ closed }) => closed.length);
    },
  };
}

const PRICED = route({
  prices: prices({ cost: rates({ input: "1", output: "2", reasoning: "3" }) }),
});
const SET = route({ body: { set: { reasoning: { effort: "low" } }, default: {}, drop: [] } });

for (
  const [name, parts] of [
    ["its request says how much to think", { body: thinks }],
    ["its route's rules say so", { route: SET }],
    ["its route has a price for thoughts", { route: PRICED }],
    ["nobody knows its route, which began late", { waitedMs: 3_000 }],
  ] as const
) {
  Deno.test(`a stream that was left is read on for half a minute where ${name}`, async () => {
    const { leave, timeline, closedAfter } = bench();
    const call = await leave(parts);
    assert.deepEqual(await closedAfter(29_999, [call]), [0]);
    call.count();
    await timeline.settle();
    await call.leaving;
    const [closed] = call.closed;
    assert.equal(closed?.usageSource, "reported");
    assert.deepEqual(closed.work, COUNTS);
    assert.equal(closed.chargedE8, 1_000_000n, "all of a balance that is smaller");
    assert.equal(call.cancelled(), 1);
  });
}

for (
  const [name, parts] of [
    ["nothing says that its model thinks", {}],
    ["its request says not to think", {
      body: { reasoning: { effort: "none" } },
      route: PRICED,
      waitedMs: 9_000,
    }],
    ["its request says not to think, by another name", {
      body: { chat_template_kwargs: { enable_thinking: false } },
      waitedMs: 9_000,
    }],
  ] as const
) {
  Deno.test(`a stream that was left is read on for a second where ${name}`, async () => {
    const { leave, closedAfter } = bench();
    const call = await leave(parts);
    assert.deepEqual(await closedAfter(999, [call]), [0]);
    assert.deepEqual(await closedAfter(1, [call]), [1]);
    assert.equal(call.closed[0]!.usageSource, "estimated");
    assert.equal(nested(call.closed[0]!.work).reasoningTokens, 0);
  });
}

Deno.test("a route's counts say whether the next stream is read on for long", async () => {
  const { leave, closedAfter, habits, timeline } = bench();
  const told = await leave({ body: { reasoning_effort: "none" } });
  told.count(PLAIN);
  await timeline.settle();
  assert.equal(habits.of(told.closed[0]!.route), undefined, "it was told not to think");
  const plain = await leave();
  plain.count(PLAIN);
  await timeline.settle();
  const late = await leave({ waitedMs: 9_000 });
  assert.deepEqual(await closedAfter(1_000, [late]), [1]);
  const thinking = await leave();
  thinking.count();
  await timeline.settle();
  const next = await leave();
  assert.deepEqual(await closedAfter(29_999, [next]), [0]);
  assert.deepEqual(await closedAfter(1, [next]), [1]);
});

Deno.test("of a route whose streams end without counts nothing is waited for", async () => {
  const { leave, closedAfter, timeline } = bench();
  const call = await leave({ body: thinks });
  call.end();
  await timeline.settle();
  assert.equal(call.closed[0]!.usageSource, "estimated");
  const next = await leave({ body: thinks });
  assert.deepEqual(await closedAfter(1_000, [next]), [1]);
});

Deno.test("thoughts that were never counted are estimated by the time to the first word, within the limit", async () => {
  for (const [mostTokens, waitedMs, tokens] of [[undefined, 40_000, 2_000], [500, 40_000, 499]]) {
    const { leave, closedAfter } = bench();
    const parts = { body: thinks, waitedMs: waitedMs!, first: [written("a")] };
    const call = await leave(mostTokens === undefined ? parts : { ...parts, mostTokens });
    await closedAfter(30_000, [call]);
    const { work, usageSource, saleE8, chargedE8 } = call.closed[0]!;
    assert.equal(usageSource, "estimated");
    assert.deepEqual([nested(work).completionTokens, nested(work).reasoningTokens], [
      tokens! + 1,
      tokens,
    ]);
    assert.equal(chargedE8, saleE8);
  }
});

Deno.test("a project has four streams read on for long, and a route no more than its quarter", async () => {
  const { leave, left, closedAfter } = bench();
  const mine = [];
  for (let call = 0; call < 6; call++) mine.push(await leave({ body: thinks }));
  const other = await leave({ body: thinks, projectId: "other" });
  assert.deepEqual(await closedAfter(1_000, [...mine, other]), [0, 0, 0, 0, 1, 1, 0]);
  const narrow = route({ id: "acme/narrow", limits: { concurrent: 7 } });
  const there = [];
  for (const projectId of ["a", "b"]) {
    there.push(await leave({ body: thinks, route: narrow, projectId }));
  }
  assert.deepEqual(await closedAfter(1_000, there), [0, 1]);
  await closedAfter(30_000, mine);
  assert.equal(left.size, 0);
  const later = await leave({ body: thinks });
  assert.deepEqual(await closedAfter(1_000, [later]), [0]);
});

Deno.test("whoever waits for more of a stream that was left waits no longer", async () => {
  const { left, habits } = bench();
  const silent = () => new Promise<undefined>(() => {});
  const parts = { first: [written("a")], next: silent, habits, left, waitedMs: 1, body: thinks };
  const { relay, closed } = relayBench(parts);
  await relay.next();
  const waiting = relay.next();
  void relay.cancel();
  assert.equal(await waiting, undefined);
  assert.deepEqual([left.size, closed.length], [1, 0]);
  left.stop();
});

Deno.test("a gateway that stops reads no stream on for long", async () => {
  const { leave, left, timeline, closedAfter } = bench();
  const call = await leave({ body: thinks, waitedMs: 10_000 });
  left.stop();
  await timeline.settle();
  assert.equal(nested(call.closed[0]!.work).reasoningTokens, 500);
  const next = await leave({ body: thinks });
  assert.deepEqual(await closedAfter(1_000, [next]), [1]);
});

Deno.test("what is read on of an endless answer is bounded", async () => {
  const { leave } = bench();
  let reads = 0;
  const next = () => {
    reads++;
    return Promise.resolve([written("x".repeat(100_000))]);
  };
  const call = await leave({ body: thinks, next });
  await call.leaving;
  assert.equal(reads < 45, true, `${reads} reads`);
  assert.equal(call.closed.length, 1);
});
