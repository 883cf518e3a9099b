/**
 * What a process writes at its end, to a file and to a server that is away.
 *
 * @module
 */

import assert from "node:assert/strict";
import { writeLast } from "../../src/app/write_last.ts";

/** Writers of which one waits until it is let go on; what has been done, in order. */
function held() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const done: string[] = [];
  const note = (what: string) => Promise.resolve(void done.push(what));
  return {
    done,
    release,
    writers: {
      shared: { stop: () => note("sharing") },
      database: { stopReads: () => note("reads") },
      refusals: { close: () => note("refusals") },
      commits: { flush: () => promise.then(() => note("commits")) },
      storage: { writeSums: () => note("sums") },
    },
  };
}

Deno.test("writeLast() does not wait for ever for a server that is away", async () => {
  const { done, release, writers } = held();
  await writeLast(writers, { isOnServer: true, mostMs: 1 });
  assert.deepEqual(done, ["sharing", "reads", "refusals"]);
  release();
});

Deno.test("writeLast() writes to a server that comes back, and to a file however long it takes", async () => {
  for (const options of [{ isOnServer: true, mostMs: 60_000 }, { isOnServer: false, mostMs: 0 }]) {
    const { done, release, writers } = held();
    const written = writeLast(writers, options);
    queueMicrotask(release);
    await written;
    assert.deepEqual(done, ["sharing", "reads", "refusals", "commits", "sums"]);
  }
});
