/**
 * Refused requests on their way to a real database: what a storm of them may cost, and whose room it is.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  MOST_KEPT_REFUSED,
  MOST_REFUSAL_SUMS,
  REFUSAL_HOURS,
} from "../../src/domain/refused_request.ts";
import { RefusalBook, type Refused } from "../../src/metering/refusal_book.ts";
import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { withDatabasePath } from "../storage/sqlite/temporary_database.ts";

interface Scene {
  readonly book: RefusalBook;
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly written: Extract<Entry, { readonly kind: "note_refusals" }>[];
  /** What the next writings end with; empty: they are done. */
  readonly faults: EntryResult[];
  /** What was to be run later and was not called off. */
  readonly later: Set<() => void>;
  refuse(parts?: Partial<Refused>, times?: number): void;
  counts(by: "project" | "reason"): Promise<Record<string, number>>;
}

async function withBook(run: (scene: Scene) => Promise<void>): Promise<void> {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    const clock = new FakeClock();
    const written: Scene["written"] = [];
    const faults: EntryResult[] = [];
    const later = new Set<() => void>();
    const book = new RefusalBook({
      commits: {
        async commit(entry) {
          assert.equal(entry.kind, "note_refusals");
          written.push(entry as Scene["written"][number]);
          return faults.shift() ?? (await storage.commitBatch([entry]))[0]!;
        },
      },
      now: () => clock.now(),
      later(run) {
        later.add(run);
        return () => later.delete(run);
      },
    });
    let number = 0;
    try {
      await run({
        book,
        storage,
        clock,
        written,
        faults,
        later,
        refuse(parts = {}, times = 1) {
          for (let at = 0; at < times; at++) {
            const callId = ++number;
            book.note({
              callId,
              requestId: `req_${callId}`,
              projectId: "shop",
              keyId: "key_1",
              capability: "chat",
              model: "small",
              knownModel: "small",
              reason: "POOL_LIMIT_EXCEEDED",
              why: "project_requests_per_minute",
              status: 429,
              param: "",
              message: "The limit is reached",
              ...parts,
            });
          }
        },
        async counts(by) {
          const lines = await storage.refusals.report({ by: [by], limit: 10_000 });
          const name = by === "project" ? "projectId" : "reason";
          return Object.fromEntries(lines.map((line) => [line[name], line.refusals]));
        },
      });
    } finally {
      await storage.close();
    }
  });
}

Deno.test("RefusalBook writes nothing by itself, and later all that was noted at once", async () => {
  await withBook(async ({ book, refuse, later, written, counts, storage }) => {
    refuse({}, 3);
    refuse({ reason: "MODEL_NOT_ALLOWED", why: "", status: 403 });
    assert.deepEqual([written.length, later.size], [0, 1]);
    await book.flush();
    assert.equal(written.length, 1);
    assert.deepEqual(await counts("reason"), { POOL_LIMIT_EXCEEDED: 3, MODEL_NOT_ALLOWED: 1 });
    const [last] = await storage.refusals.page({ limit: 10 });
    assert.deepEqual([last!.callId, last!.status, last!.message], [4, 403, "The limit is reached"]);
    assert.equal((await storage.refusals.find(2, "req_2"))?.requestId, "req_2");
    assert.equal(await storage.refusals.find(2, "req_3"), undefined);
    assert.equal(await storage.calls.lastCallId(), 4, "no call gets a number that was told");
  });
});

Deno.test("a storm of one project grows nothing without end and pushes out no other's", async () => {
  await withBook(async ({ book, refuse, written, counts, storage }) => {
    refuse({ projectId: "quiet" }, 2);
    await book.flush();
    const storm = 30_000;
    for (let at = 0; at < storm; at++) {
      refuse({ keyId: `key_${at}`, knownModel: `m${at % 977}`, model: `m${at % 977}` });
      if (at % 5_000 === 4_999) await book.flush();
    }
    await book.flush();
    assert.deepEqual(await counts("project"), { shop: storm, quiet: 2 }, "all are counted");
    const sums = await storage.refusals.report({ by: ["project", "key", "model"], limit: 10_000 });
    assert.ok(sums.filter(({ projectId }) => projectId === "shop").length <= MOST_REFUSAL_SUMS + 1);
    const kept = await storage.refusals.page({ projectId: "shop", limit: 10_000 });
    assert.equal(kept.length, MOST_KEPT_REFUSED);
    assert.equal(kept[0]!.callId, storm + 2, "the last ones");
    assert.equal((await storage.refusals.page({ projectId: "quiet", limit: 10 })).length, 2);
    const sizes = written.map(({ sums, requests }) => sums.length + requests.length);
    assert.ok(Math.max(...sizes) <= 500, `one writing has at most ${Math.max(...sizes)} rows`);
  });
});

Deno.test("many projects at once share what is written, and none is left out", async () => {
  await withBook(async ({ book, refuse, written, counts }) => {
    for (let at = 0; at < 1_000; at++) refuse({ projectId: `p${at}` }, 5);
    await book.flush();
    const rows = written.flatMap(({ requests }) => requests);
    assert.ok(rows.length <= 1_000, `${rows.length} requests`);
    await book.flush();
    const sums = await counts("project");
    assert.deepEqual(Object.keys(sums).length, 1_000);
    assert.deepEqual(new Set(Object.values(sums)), new Set([5]));
  });
});

Deno.test("what cannot be written waits, and is counted once", async () => {
  await withBook(async ({ book, refuse, faults, later, counts }) => {
    refuse({}, 2);
    faults.push({ ok: false, reason: "full", message: "The disk is full" });
    await book.flush();
    assert.deepEqual(await counts("project"), {});
    assert.equal(later.size, 1, "it is tried again");
    refuse();
    await book.close();
    assert.deepEqual(await counts("project"), { shop: 3 });
  });
});

Deno.test("sums of long ago are forgotten, an hour at a time", async () => {
  await withBook(async ({ book, refuse, clock, counts }) => {
    refuse();
    await book.flush();
    clock.advance((REFUSAL_HOURS + 2) * 3_600_000);
    refuse({ projectId: "later" });
    await book.flush();
    assert.deepEqual(await counts("project"), { later: 1 });
  });
});
