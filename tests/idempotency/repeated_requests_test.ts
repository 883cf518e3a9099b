import assert from "node:assert/strict";
import { GatewayError } from "../../src/errors.ts";
import type { Lead, RepeatableAnswer } from "../../src/idempotency/repeated_requests.ts";
import type { TextParts } from "../../src/domain/text_parts.ts";
import {
  isError,
  readAll,
  repeatedRequestsBench,
  SCOPE,
  settled,
} from "../support/repeated_requests_bench.ts";

const DAY_MS = 86_400_000;

const textOf = async ({ body }: RepeatableAnswer) =>
  typeof body === "string" ? body : await readAll(body);

Deno.test("RepeatedRequests.answer() leads once and gives equal requests the same answer", async () => {
  const { requests, request, lead, led } = repeatedRequestsBench();
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
  const { requests, request, lead, led } = repeatedRequestsBench();
  await requests.answer(request(), lead);
  for (const other of [{ projectId: "q" }, { path: "/responses" }, { key: "k2" }]) {
    const answer = await requests.answer(request({ scope: { ...SCOPE, ...other } }), lead);
    assert.equal(answer.isRepeated, false);
  }
  assert.equal(led(), 4);
});

Deno.test("RepeatedRequests.answer() refuses another request under the same key, also while the first runs", async () => {
  const { requests, request, lead } = repeatedRequestsBench();
  const first = requests.answer(request(), lead);
  const reused = isError("idempotency_key_reused");
  await assert.rejects(requests.answer(request({ fingerprint: "f2" }), lead), reused);
  await first;
  await assert.rejects(requests.answer(request({ fingerprint: "f2" }), lead), reused);
});

Deno.test("RepeatedRequests.answer() frees the key when the request fails, and the next one leads", async () => {
  const { requests, request, lead, led } = repeatedRequestsBench();
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
  const { requests, request, clock, lead } = repeatedRequestsBench();
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
  const { requests, request, lead, led } = repeatedRequestsBench();
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
  const { requests, request, lead } = repeatedRequestsBench();
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
  const { requests, request, lead, led } = repeatedRequestsBench();
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
  const { requests, request, lead, led } = repeatedRequestsBench();
  const gone = request();
  gone.leave();
  const leading = requests.answer(gone, lead);
  const again = await requests.answer(request(), lead);
  assert.deepEqual([again.isRepeated, led()], [true, 1]);
  await leading;
});

Deno.test("RepeatedRequests.answer() does not fire its signal when the last one leaves after the answer", async () => {
  const { requests, request, lead } = repeatedRequestsBench();
  const asked = request();
  let work: Lead | undefined;
  await requests.answer(asked, (given) => lead(work = given));
  asked.leave();
  assert.equal(work!.signal.aborted, false);
});

Deno.test("RepeatedRequests.answer() says of an answer that was too large that it was not kept", async () => {
  const { requests, request, stored } = repeatedRequestsBench({ mostBytes: 9 });
  const lead = ({ toRecord }: Lead) => {
    const record = toRecord('"12345678"');
    stored.set("p /videos k", record);
    return Promise.resolve('"12345678"');
  };
  assert.equal((await requests.answer(request(), lead)).body, '"12345678"');
  assert.equal(stored.get("p /videos k")!.body, undefined);
  await assert.rejects(requests.answer(request(), lead), (error: GatewayError) => {
    assert.match(
      error.message,
      /not kept, as it was too large or .* request req_1,.*\/v1\/calls\/req_1 /,
    );
    return isError("idempotent_answer_not_kept")(error);
  });
});

Deno.test("RepeatedRequests.answer() repeats a large answer in whole characters, within its memory", async () => {
  const body = `"${"é🚀".repeat(30_000)}"`;
  const bytes = new TextEncoder().encode(body).length;
  const { requests, request, room, stored } = repeatedRequestsBench({
    mostBytes: bytes,
    roomBytes: bytes,
  });
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

Deno.test("RepeatedRequests.answer() has a stored answer read in its turn, also for another request", async () => {
  const { requests, request, lead, led, turns, holdTurns, read } = repeatedRequestsBench();
  await requests.answer(request(), lead);
  assert.equal(read(), 0, "of a new key nothing is read");
  holdTurns();
  const repeat = requests.answer(request(), lead);
  await settled();
  turns[0]!.go();
  assert.equal((await repeat).isRepeated, true);
  const other = requests.answer(request({ fingerprint: "f2" }), lead);
  await settled();
  turns[1]!.go(new GatewayError("pool_limit_exceeded", "too many"));
  await assert.rejects(other, isError("pool_limit_exceeded"));
  assert.deepEqual([turns.map(({ bytes }) => bytes), read(), led()], [[7, 7], 1, 1]);
});

Deno.test("RepeatedRequests.answer() reads nothing for clients that leave before their turn", async () => {
  const { requests, request, lead, led, turns, holdTurns, read } = repeatedRequestsBench();
  await requests.answer(request(), lead);
  holdTurns();
  const leaving = request();
  const left = requests.answer(leaving, lead);
  await settled();
  leaving.leave();
  turns[0]!.go();
  await assert.rejects(left, isError("client_closed_request"));
  assert.deepEqual([read(), led()], [0, 1]);
  // Its key is free for the next one.
  const again = requests.answer(request(), lead);
  await settled();
  turns[1]!.go();
  assert.equal((await again).isRepeated, true);
});
