/**
 * What every storage driver must do, as tests over a way to open one.
 *
 * @module
 */

import assert from "node:assert/strict";
import { MAIN_BOOK } from "../../src/domain/book.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import { testAccounts } from "./storage_accounts_suite.ts";
import { testAnswers } from "./storage_answers_suite.ts";
import { testAudit } from "./storage_audit_suite.ts";
import { testBatches } from "./storage_batches_suite.ts";
import { testCalls } from "./storage_calls_suite.ts";
import { testCatalogue } from "./storage_catalogue_suite.ts";
import { testClosing } from "./storage_closing_suite.ts";
import { testKept } from "./storage_kept_suite.ts";
import { sampleResponse, testResponses } from "./storage_responses_suite.ts";
import {
  commitOne,
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
  words,
} from "./storage_samples.ts";
import { testSessions } from "./storage_sessions_suite.ts";
import { testSpending } from "./storage_spending_suite.ts";
import { testValues } from "./storage_values_suite.ts";
import { testVideoClosing } from "./storage_video_closing_suite.ts";
import { testVideoReads } from "./storage_video_reads_suite.ts";
import {
  claimedTask,
  createEntry,
  sampleAnswer,
  sampleMessage,
  sampleTask,
} from "./storage_video_samples.ts";
import { testVideos } from "./storage_videos_suite.ts";
import { testWebhooks } from "./storage_webhooks_suite.ts";

/** A driver under test. */
export interface StorageDriver {
  readonly name: string;
  /** Opens the database of a name, or makes it. */
  readonly open: (place: string) => Promise<Storage>;
  /** Makes the database of a name, empty and of the current schema, sooner than opening it would. */
  readonly prepare?: (place: string) => Promise<void>;
  /** Runs with a name that no database has yet, and removes what is made of it. */
  readonly withPlace: (run: (place: string) => Promise<void>) => Promise<void>;
  /** Whether it tells how much room in its file what was deleted has left. */
  readonly reusesItsFile: boolean;
  /** Rows of a table that one entry forgets at most. */
  readonly forgottenRows: number;
  /** Options of its tests. */
  readonly options?: { readonly ignore: boolean };
}

/** Registers the suite for a driver. */
export function testStorageDriver(driver: StorageDriver): void {
  function test(name: string, run: (storage: Storage) => Promise<void>): void {
    Deno.test(`${driver.name}: ${name}`, driver.options ?? {}, () => withStorage(driver, run));
  }

  testAccounts(test);
  testCalls(test);
  testClosing(test);
  testValues(test);
  testCatalogue(test);
  testKept(test, driver);
  testVideos(test);
  testVideoClosing(test);
  testVideoReads(test);
  testWebhooks(test);
  testAnswers(test, driver);
  testResponses(test);
  testSessions(test);
  testSpending(test);
  testAudit(test);
  testBatches(test, driver);

  const again = `${driver.name}: everything is there after closing and opening again`;
  Deno.test(again, driver.options ?? {}, async () => {
    await driver.withPlace(async (path) => {
      const first = await driver.open(path);
      const session = await first.beginSession();
      await fundProject(first, 1_000n);
      await first.commitBatch([
        { kind: "create_key", key: sampleKey() },
        { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
        { kind: "hold", call: sampleOpenCall() },
        {
          kind: "close",
          call: sampleClosedCall({ callId: 2 }),
          response: sampleResponse({ callId: 2 }),
        },
        createEntry(sampleTask({ callId: 3 })),
        {
          kind: "change_video",
          task: claimedTask(sampleTask({ callId: 3 })),
          webhook: sampleMessage(),
        },
        { kind: "store_answer", record: sampleAnswer() },
      ]);
      await first.writeSums();
      const before = await snapshot(first);
      assert.deepEqual([before.videos.length, before.messages.length], [1, 1]);
      assert.deepEqual(before.response, sampleResponse({ callId: 2 }));
      await first.close();
      await first.close();
      await assert.rejects(first.accounts.loadKeys());
      const second = await driver.open(path);
      assert.deepEqual(await snapshot(second), before);
      assert.deepEqual(await second.sessions.withOpen(), [session]);
      assert.equal(await second.beginSession() > session, true);
      assert.deepEqual(
        words([await commitOne(second, { kind: "close", call: sampleClosedCall() })]),
        ["ok"],
      );
      await second.close();
    });
  });
}

async function snapshot(storage: Storage) {
  return {
    projects: await storage.accounts.loadProjects(),
    keys: await storage.accounts.loadKeys(),
    balances: await storage.accounts.loadBalances(),
    catalogue: await storage.catalogue.load(),
    calls: await storage.calls.slice(0, 100),
    ledger: await storage.ledger.slice(0, 100),
    spending: await storage.spending.sums({ month: 0, day: 0, hour: 0 }),
    usage: (await storage.calls.usageReport({ groupBy: ["route", "day"] })).lines,
    videos: await storage.videos.list({ order: "asc", limit: 100 }),
    messages: await storage.webhooks.due(Number.MAX_SAFE_INTEGER, { most: 100, perProject: 100 }),
    answer: await storage.answers.find(sampleAnswer()),
    response: await storage.responses.find({ projectId: "acme", responseId: "resp_2" }),
  };
}

async function withStorage(
  driver: StorageDriver,
  run: (storage: Storage) => Promise<void>,
): Promise<void> {
  await driver.withPlace(async (path) => {
    await driver.prepare?.(path);
    const storage = await driver.open(path);
    try {
      await run(storage);
      await assertBooksBalance(storage);
    } finally {
      await storage.close();
    }
  });
}

/** Every project's balance is the sum of its ledger, and what is held is what open calls hold. */
async function assertBooksBalance(storage: Storage): Promise<void> {
  const sums = new Map<string, bigint>();
  const { rows, balances, openCalls } = await storage.snapshot({
    after: [],
    rows: 10_000,
    openCalls: 10_000,
  });
  for (const [index, row] of rows.entries()) {
    assert.deepEqual([row.book, row.seq], [MAIN_BOOK, index + 1]);
    const sign = row.kind === "credit" ? 1n : row.kind === "settle" ? -1n : 0n;
    const sum = (sums.get(row.projectId) ?? 0n) + sign * row.amountE8;
    assert.equal(row.balanceAfterE8, sum);
    sums.set(row.projectId, sum);
  }
  const held = new Map<string, bigint>();
  for (const call of openCalls) {
    held.set(call.projectId, (held.get(call.projectId) ?? 0n) + call.heldE8);
  }
  for (const balance of balances) {
    assert.equal(balance.avail + balance.held, sums.get(balance.projectId) ?? 0n);
    assert.equal(balance.held, held.get(balance.projectId) ?? 0n);
  }
}
