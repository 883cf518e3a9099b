import assert from "node:assert/strict";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import { GatewayError } from "../../src/errors.ts";
import { createBodyBudget } from "../../src/http/body_budget.ts";
import {
  type Lead,
  type LedStream,
  type RepeatableAnswer,
  RepeatedRequests,
} from "../../src/idempotency/repeated_requests.ts";
import type { TextParts } from "../../src/idempotency/text_parts.ts";
import { FakeClock } from "../support/fake_clock.ts";

const SCOPE = { projectId: "p", path: "/videos", key: "k" };
const DAY_MS = 86_400_000;
const KEEP_ALIVE = ": alive\n\n";

function setUp({ mostBytes = 1_000, roomBytes = 10_000 } = {}) {
  const clock = new FakeClock();
  const stored = new Map<string, IdempotencyRecord>();
  const place = ({ projectId, path, key }: typeof SCOPE) => `${projectId} ${path} ${key}`;
  const room = createBodyBudget(roomBytes);
  const requests = new RepeatedRequests({
    answers: { find: (scope) => Promise.resolve(stored.get(place(scope))) },
    clock,
    room,
    fleetingPart: KEEP_ALIVE,
    mostBytes,
  });
  let number = 0;
  const request = (changes: { scope?: typeof SCOPE; fingerprint?: string } = {}) => {
    const leaving = new AbortController();
    return {
      scope: SCOPE,
      fingerprint: "f1",
      requestId: `req_${++number}`,
      client: leaving.signal,
      leave: () => leaving.abort(),
      ...changes,
    };
  };
  const put = (record: IdempotencyRecord) => stored.set(place(record), record);
  let led = 0;
  const lead = ({ toRecord }: Lead) => {
    const body = `{"n":${++led}}`;
    put(toRecord(body));
    return Promise.resolve(body);
  };
  /** A source of parts that a test gives one by one; its last part is recorded when it is read. */
  function source() {
    const parts: PromiseWithResolvers<() => string | undefined>[] = [];
    let next = 0;
    const at = (index: number) => parts[index] ??= Promise.withResolvers();
    const given: Lead[] = [];
    const open = (lead: Lead): Promise<LedStream> => {
      given.push(lead);
      return Promise.resolve({
        provider: "remote",
        route: "remote/m",
        body: {
          next: () => at(next++).promise.then((part) => part()),
          cancel: () => Promise.resolve(),
        },
      });
    };
    let giving = 0;
    return {
      open,
      given,
      asked: () => next,
      give: (part: string | undefined) => at(giving++).resolve(() => part),
      end(tail: string) {
        at(giving++).resolve(() => {
          put(given.at(-1)!.toRecord(tail));
          return tail;
        });
        at(giving++).resolve(() => undefined);
      },
    };
  }
  return { requests, clock, room, request, lead, led: () => led, stored, source };
}

async function readAll(parts: TextParts): Promise<string> {
  let text = "";
  for (let part = await parts.next(); part !== undefined; part = await parts.next()) text += part;
  return text;
}

const textOf = async ({ body }: RepeatableAnswer) =>
  typeof body === "string" ? body : await readAll(body);

const isError = (name: string) => (error: unknown) =>
  error instanceof GatewayError && error.error === name;

/** Resolves when everything that is ready has happened. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("RepeatedRequests.answer() leads once and gives equal requests the same answer", async () => {
  const { requests, request, lead, led } = setUp();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => requests.answer(request(), lead)),
  );
  const later = await requests.answer(request(), lead);
  assert.equal(led(), 1);
  assert.deepEqual(new Set([...answers, later].map(({ body }) => body)), new Set(['{"n":1}']));
  assert.equal(answers.filter(({ isRepeated }) => !isRepeated).length, 1);
  assert.equal(later.isRepeated, true);
  assert.equal(later.requestId, "req_1");
});

Deno.test("RepeatedRequests.answer() keeps projects, paths and keys apart", async () => {
  const { requests, request, lead, led } = setUp();
  await requests.answer(request(), lead);
  for (const other of [{ projectId: "q" }, { path: "/responses" }, { key: "k2" }]) {
    const answer = await requests.answer(request({ scope: { ...SCOPE, ...other } }), lead);
    assert.equal(answer.isRepeated, false);
  }
  assert.equal(led(), 4);
});

Deno.test("RepeatedRequests.answer() refuses another request under the same key, also while the first runs", async () => {
  const { requests, request, lead } = setUp();
  const first = requests.answer(request(), lead);
  const reused = isError("idempotency_key_reused");
  await assert.rejects(requests.answer(request({ fingerprint: "f2" }), lead), reused);
  await first;
  await assert.rejects(requests.answer(request({ fingerprint: "f2" }), lead), reused);
});

Deno.test("RepeatedRequests.answer() frees the key when the request fails, and the next one leads", async () => {
  const { requests, request, lead, led } = setUp();
  const gate = Promise.withResolvers<void>();
  const failing = requests.answer(request(), async () => {
    await gate.promise;
    throw new GatewayError("storage_full", "full");
  });
  const following = requests.answer(request(), lead);
  gate.resolve();
  await assert.rejects(failing, GatewayError);
  assert.equal((await following).body, '{"n":1}');
  assert.equal(led(), 1);
});

Deno.test("RepeatedRequests.answer() forgets an answer after a day", async () => {
  const { requests, request, clock, lead } = setUp();
  await requests.answer(request(), lead);
  clock.advance(DAY_MS - 1);
  assert.equal((await requests.answer(request(), lead)).isRepeated, true);
  clock.advance(1);
  const answer = await requests.answer(request(), lead);
  assert.deepEqual(answer, {
    status: 200,
    requestId: "req_3",
    body: '{"n":2}',
    isRepeated: false,
  });
});

Deno.test("RepeatedRequests.answer() goes on for those who wait when the first client leaves", async () => {
  const { requests, request, lead, led } = setUp();
  const gate = Promise.withResolvers<void>();
  let work: Lead | undefined;
  const first = request();
  const leading = requests.answer(first, async (given) => {
    work = given;
    await gate.promise;
    return await lead(given);
  });
  const following = requests.answer(request(), lead);
  await settled();
  first.leave();
  assert.equal(work!.signal.aborted, false);
  gate.resolve();
  assert.deepEqual([(await following).body, (await leading).body], ['{"n":1}', '{"n":1}']);
  assert.equal(led(), 1);
});

Deno.test("RepeatedRequests.answer() gives the work up and frees the key when all have left", async () => {
  const { requests, request, lead } = setUp();
  const [first, second] = [request(), request()];
  const works: Lead[] = [];
  const leading = requests.answer(first, (given) => {
    works.push(given);
    const { promise, reject } = Promise.withResolvers<never>();
    given.signal.addEventListener("abort", () => reject(new Error("aborted")));
    return promise;
  });
  const following = requests.answer(second, lead);
  await settled();
  second.leave();
  await assert.rejects(following, isError("client_closed_request"));
  assert.equal(works[0]!.signal.aborted, false);
  first.leave();
  assert.equal(works[0]!.signal.aborted, true);
  assert.equal((await requests.answer(request(), lead)).isRepeated, false);
  await assert.rejects(leading, /aborted/);
  assert.equal((await requests.answer(request(), lead)).isRepeated, true);
});

Deno.test("RepeatedRequests.answer() frees no key of work that goes on after all have left", async () => {
  const { requests, request, lead, led } = setUp();
  const gate = Promise.withResolvers<void>();
  const first = request();
  const leading = requests.answer(first, async (given) => {
    await gate.promise;
    return await lead(given);
  });
  await settled();
  first.leave();
  const again = requests.answer(request(), lead);
  const other = requests.answer(request({ fingerprint: "f2" }), lead);
  await assert.rejects(other, isError("idempotency_key_reused"));
  await settled();
  assert.equal(led(), 0);
  gate.resolve();
  assert.equal((await again).isRepeated, true);
  assert.equal(led(), 1);
  await leading;
});

Deno.test("RepeatedRequests.answer() leads for a client that has left already, under its key", async () => {
  const { requests, request, lead, led } = setUp();
  const gone = request();
  gone.leave();
  const leading = requests.answer(gone, lead);
  const again = await requests.answer(request(), lead);
  assert.deepEqual([again.isRepeated, led()], [true, 1]);
  await leading;
});

Deno.test("RepeatedRequests.answer() does not fire its signal when the last one leaves after the answer", async () => {
  const { requests, request, lead } = setUp();
  const asked = request();
  let work: Lead | undefined;
  await requests.answer(asked, (given) => lead(work = given));
  asked.leave();
  assert.equal(work!.signal.aborted, false);
});

Deno.test("RepeatedRequests.answer() says of an answer that was too large that it was not kept", async () => {
  const { requests, request, stored } = setUp({ mostBytes: 9 });
  const lead = ({ toRecord }: Lead) => {
    const record = toRecord('"12345678"');
    stored.set("p /videos k", record);
    return Promise.resolve('"12345678"');
  };
  assert.equal((await requests.answer(request(), lead)).body, '"12345678"');
  assert.equal(stored.get("p /videos k")!.body, undefined);
  await assert.rejects(requests.answer(request(), lead), (error: GatewayError) => {
    assert.match(error.message, /too large to be kept.*request req_1,.*\/v1\/calls\/req_1 /);
    return isError("idempotent_answer_not_kept")(error);
  });
});

Deno.test("RepeatedRequests.answer() repeats a large answer in whole characters, within its memory", async () => {
  const body = `"${"é🚀".repeat(30_000)}"`;
  const bytes = new TextEncoder().encode(body).length;
  const { requests, request, room, stored } = setUp({ mostBytes: bytes, roomBytes: bytes });
  const lead = ({ toRecord }: Lead) => {
    stored.set("p /videos k", toRecord(body));
    return Promise.resolve(body);
  };
  assert.equal((await requests.answer(request(), lead)).body, body);
  assert.equal(room.usedBytes, 0);
  const again = await requests.answer(request(), lead);
  assert.equal(room.usedBytes, bytes);
  await assert.rejects(requests.answer(request(), lead), isError("pool_limit_exceeded"));
  const parts = again.body as TextParts;
  let text = "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let part = await parts.next(); part !== undefined; part = await parts.next()) {
    text += decoder.decode(new TextEncoder().encode(part));
  }
  assert.equal(text, body);
  assert.equal(room.usedBytes, 0);
  const unread = await requests.answer(request(), lead);
  await (unread.body as TextParts).cancel();
  assert.equal(room.usedBytes, 0);
  assert.equal(await textOf(await requests.answer(request(), lead)), body);
});

Deno.test("RepeatedRequests.stream() gives equal requests the same text, beside the first and after it", async () => {
  const { requests, request, room, source } = setUp();
  const { open, give, end, given } = source();
  const first = await requests.stream(request(), open);
  give("one ");
  assert.equal(await first.body.next(), "one ");
  const second = await requests.stream(request(), open);
  assert.equal(await second.body.next(), "one ");
  give(KEEP_ALIVE);
  assert.deepEqual(await Promise.all([first.body.next(), second.body.next()]), [
    KEEP_ALIVE,
    KEEP_ALIVE,
  ]);
  give("two ");
  end("end");
  assert.equal(await readAll(second.body), "two end");
  const third = await requests.stream(request(), open);
  assert.equal(await readAll(first.body), "two end");
  assert.equal(await readAll(third.body), "one two end");
  assert.equal(room.usedBytes, 0);
  const { provider, route, isRepeated, requestId } = third;
  assert.deepEqual({ provider, route, isRepeated, requestId }, {
    provider: "remote",
    route: "remote/m",
    isRepeated: true,
    requestId: "req_1",
  });
  assert.deepEqual([first.isRepeated, second.isRepeated], [false, true]);
  assert.equal(given.length, 1);
  assert.equal(given[0]!.signal.aborted, false);
});

Deno.test("RepeatedRequests.stream() goes on while anyone reads, and is given up with the last", async () => {
  const { requests, request, room, source } = setUp();
  const { open, give, given, asked } = source();
  const asker = request();
  const first = await requests.stream(asker, open);
  const second = await requests.stream(request(), open);
  give("one");
  assert.equal(await first.body.next(), "one");
  asker.leave();
  await first.body.cancel();
  assert.equal(given[0]!.signal.aborted, false);
  assert.equal(await second.body.next(), "one");
  assert.equal(room.usedBytes, 3);
  await second.body.cancel();
  assert.equal(given[0]!.signal.aborted, true);
  assert.equal(room.usedBytes, 0);
  assert.equal(asked(), 1);
  const next = await requests.stream(request(), open);
  assert.equal(next.isRepeated, false);
  assert.equal(given.length, 2);
});

Deno.test("RepeatedRequests.stream() lets a follower lead when the first cannot begin", async () => {
  const { requests, request, source } = setUp();
  const { open, end } = source();
  const gate = Promise.withResolvers<never>();
  const failing = requests.stream(request(), () => gate.promise);
  const following = requests.stream(request(), open);
  await settled();
  gate.reject(new GatewayError("provider_unavailable", "down"));
  await assert.rejects(failing, isError("provider_unavailable"));
  end("all");
  const stream = await following;
  assert.equal(stream.isRepeated, false);
  assert.equal(await readAll(stream.body), "all");
});

Deno.test("RepeatedRequests.stream() keeps nothing of a stream that broke", async () => {
  const { requests, request, source } = setUp();
  const { open, give, given } = source();
  const first = await requests.stream(request(), open);
  give("error");
  give(undefined);
  assert.equal(await readAll(first.body), "error");
  await requests.stream(request(), open);
  assert.equal(given.length, 2);
});

Deno.test("RepeatedRequests.stream() keeps no more of a stream than its bound, at the pace of its slowest reader", async () => {
  const { requests, request, room, source } = setUp({ mostBytes: 4 });
  const { open, give, end, asked } = source();
  const slow = await requests.stream(request(), open);
  const fast = await requests.stream(request(), open);
  give("1234");
  assert.equal(await fast.body.next(), "1234");
  assert.equal(room.usedBytes, 4);
  give("5");
  assert.equal(await fast.body.next(), "5");
  assert.equal(room.usedBytes, 0);
  const notKept = isError("idempotent_answer_not_kept");
  await assert.rejects(requests.stream(request(), open), notKept);
  end("end");
  const rest = readAll(fast.body);
  await settled();
  assert.equal(asked(), 2, "nothing is read while a reader is behind");
  assert.equal(await slow.body.next(), "1234");
  await settled();
  assert.equal(asked(), 2);
  assert.equal(await readAll(slow.body), "5end");
  assert.equal(await rest, "end");
  await assert.rejects(requests.stream(request(), open), notKept);
});

Deno.test("RepeatedRequests.stream() waits for no reader that has gone", async () => {
  const { requests, request, source } = setUp({ mostBytes: 1 });
  const { open, give, end } = source();
  const gone = await requests.stream(request(), open);
  const left = await requests.stream(request(), open);
  give("12");
  assert.equal(await left.body.next(), "12");
  const rest = readAll(left.body);
  await settled();
  end("end");
  await gone.body.cancel();
  assert.equal(await rest, "end");
});

Deno.test("RepeatedRequests.stream() keeps nothing when the memory for answers is taken", async () => {
  const { requests, request, room, source } = setUp({ roomBytes: 5 });
  const { open, give, end } = source();
  const stream = await requests.stream(request(), open);
  assert.equal(room.tryReserve(3), true);
  give("123");
  end("end");
  assert.equal(await readAll(stream.body), "123end");
  assert.equal(room.usedBytes, 3);
  await assert.rejects(requests.stream(request(), open), isError("idempotent_answer_not_kept"));
});
