import assert from "node:assert/strict";
import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";
import { forgetDone } from "../../src/videos/forget_done.ts";
import { FakeClock } from "../support/fake_clock.ts";

const DAY_MS = 86_400_000;

function scene(results: readonly EntryResult[]) {
  const clock = new FakeClock();
  const end = new AbortController();
  const entries: Entry[] = [];
  const commits = {
    commit(entry: Entry): Promise<EntryResult> {
      entries.push(entry);
      return Promise.resolve(results[entries.length - 1]!);
    },
  };
  return { clock, end, entries, forget: () => forgetDone({ commits, clock, signal: end.signal }) };
}

Deno.test("forgetDone() forgets answers at their expiry and messages a week after, until none is left", async () => {
  const { clock, entries, forget } = scene([
    { ok: true, hasMore: true },
    { ok: true, hasMore: true },
    { ok: true, hasMore: false },
  ]);
  await forget();
  const now = clock.now();
  const step = {
    kind: "forget",
    answersExpiredAt: now,
    messagesDoneBefore: now - 7 * DAY_MS,
  };
  assert.deepEqual(entries, [step, step, step]);
});

Deno.test("forgetDone() ends between two steps when it is told to, and when storage refuses one", async () => {
  const stopped = scene([{ ok: true, hasMore: true }]);
  const forgetting = stopped.forget();
  stopped.end.abort();
  await forgetting;
  assert.equal(stopped.entries.length, 1);
  const full = scene([{ ok: false, reason: "full", message: "no space" }]);
  await assert.rejects(full.forget(), /Cannot forget what is done: no space/);
  assert.equal(full.entries.length, 1);
});
