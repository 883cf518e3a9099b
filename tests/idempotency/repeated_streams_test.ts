import assert from "node:assert/strict";
import { GatewayError } from "../../src/errors.ts";
import {
  isError,
  KEEP_ALIVE,
  readAll,
  repeatedRequestsBench,
  settled,
} from "../support/repeated_requests_bench.ts";

Deno.test("RepeatedRequests.stream() gives equal requests the same text, beside the first and after it", async () => {
  const { requests, request, room, source } = repeatedRequestsBench();
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
  const { requests, request, room, source } = repeatedRequestsBench();
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
  const { requests, request, source } = repeatedRequestsBench();
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
  const { requests, request, source } = repeatedRequestsBench();
  const { open, give, given } = source();
  const first = await requests.stream(request(), open);
  give("error");
  give(undefined);
  assert.equal(await readAll(first.body), "error");
  await requests.stream(request(), open);
  assert.equal(given.length, 2);
});

Deno.test("RepeatedRequests.stream() keeps no more of a stream than its bound, at the pace of its slowest reader", async () => {
  const { requests, request, room, source } = repeatedRequestsBench({ mostBytes: 4 });
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
  const { requests, request, source } = repeatedRequestsBench({ mostBytes: 1 });
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
  const { requests, request, room, source } = repeatedRequestsBench({ roomBytes: 5 });
  const { open, give, end } = source();
  const stream = await requests.stream(request(), open);
  assert.equal(room.tryReserve(3), true);
  give("123");
  end("end");
  assert.equal(await readAll(stream.body), "123end");
  assert.equal(room.usedBytes, 3);
  await assert.rejects(requests.stream(request(), open), isError("idempotent_answer_not_kept"));
});

Deno.test("RepeatedRequests.stream() waits for the end that was being written when the last one left", async () => {
  const { requests, request, stored, source } = repeatedRequestsBench();
  const { open, give, given } = source();
  const first = await requests.stream(request(), open);
  give("one ");
  assert.equal(await first.body.next(), "one ");
  const reading = first.body.next();
  const record = given[0]!.toRecord("end");
  await first.body.cancel();
  const again = requests.stream(request(), open);
  await settled();
  assert.equal(given.length, 1);
  stored.set("p /videos k", record);
  give("end");
  const { isRepeated, body } = await again;
  assert.deepEqual([isRepeated, await readAll(body)], [true, "one end"]);
  assert.equal(await reading, undefined);
  assert.equal(given.length, 1);
});
