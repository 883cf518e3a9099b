import assert from "node:assert/strict";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import { GatewayError } from "../../src/errors.ts";
import { type LeadRequest, RepeatedRequests } from "../../src/idempotency/repeated_requests.ts";
import { FakeClock } from "../support/fake_clock.ts";

const SCOPE = { projectId: "p", path: "/videos", key: "k" };
const REQUEST = { scope: SCOPE, fingerprint: "f1" };
const DAY_MS = 86_400_000;

function setUp() {
  const clock = new FakeClock();
  const stored = new Map<string, IdempotencyRecord>();
  const place = ({ projectId, path, key }: typeof SCOPE) => `${projectId} ${path} ${key}`;
  const requests = new RepeatedRequests({
    answers: { find: (scope) => Promise.resolve(stored.get(place(scope))) },
    clock,
  });
  let led = 0;
  const lead: LeadRequest = (toRecord) => {
    const body = `{"n":${++led}}`;
    const record = toRecord(200, body);
    stored.set(place(record), record);
    return Promise.resolve({ status: 200, body });
  };
  return { requests, clock, lead, led: () => led };
}

Deno.test("RepeatedRequests.answer() leads once and gives equal requests the same answer", async () => {
  const { requests, lead, led } = setUp();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => requests.answer(REQUEST, lead)),
  );
  const later = await requests.answer(REQUEST, lead);
  assert.equal(led(), 1);
  assert.deepEqual(new Set([...answers, later].map(({ body }) => body)), new Set(['{"n":1}']));
  assert.equal(answers.filter(({ isRepeated }) => !isRepeated).length, 1);
  assert.equal(later.isRepeated, true);
});

Deno.test("RepeatedRequests.answer() keeps projects, paths and keys apart", async () => {
  const { requests, lead, led } = setUp();
  await requests.answer(REQUEST, lead);
  for (const other of [{ projectId: "q" }, { path: "/responses" }, { key: "k2" }]) {
    const answer = await requests.answer({ ...REQUEST, scope: { ...SCOPE, ...other } }, lead);
    assert.equal(answer.isRepeated, false);
  }
  assert.equal(led(), 4);
});

Deno.test("RepeatedRequests.answer() refuses another request under the same key, also while the first runs", async () => {
  const { requests, lead } = setUp();
  const first = requests.answer(REQUEST, lead);
  const reused = (error: unknown) =>
    error instanceof GatewayError && error.error === "idempotency_key_reused";
  await assert.rejects(requests.answer({ ...REQUEST, fingerprint: "f2" }, lead), reused);
  await first;
  await assert.rejects(requests.answer({ ...REQUEST, fingerprint: "f2" }, lead), reused);
});

Deno.test("RepeatedRequests.answer() frees the key when the request fails, and the next one leads", async () => {
  const { requests, lead, led } = setUp();
  const gate = Promise.withResolvers<void>();
  const failing = requests.answer(REQUEST, async () => {
    await gate.promise;
    throw new GatewayError("storage_full", "full");
  });
  const following = requests.answer(REQUEST, lead);
  gate.resolve();
  await assert.rejects(failing, GatewayError);
  assert.equal((await following).body, '{"n":1}');
  assert.equal(led(), 1);
});

Deno.test("RepeatedRequests.answer() forgets an answer after a day", async () => {
  const { requests, clock, lead } = setUp();
  await requests.answer(REQUEST, lead);
  clock.advance(DAY_MS - 1);
  assert.equal((await requests.answer(REQUEST, lead)).isRepeated, true);
  clock.advance(1);
  const answer = await requests.answer(REQUEST, lead);
  assert.deepEqual(answer, { status: 200, body: '{"n":2}', isRepeated: false });
});
