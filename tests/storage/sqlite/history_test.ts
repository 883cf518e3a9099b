/**
 * The database that an earlier version's executable left is gone on with: every row keeps its
 * price, also one whose parts are larger than their whole.
 *
 * @module
 */

import assert from "node:assert/strict";
import { verifyLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import { boughtBy, type ClosedCall } from "../../../src/domain/call.ts";
import { priceWork } from "../../../src/pricing/price_work.ts";
import { rowChecksum } from "../../../src/storage/rows/row_checksum.ts";
import { openTestAdmin } from "../../admin/test_admin.ts";
import { sampleClosedCall } from "../../conformance/storage_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

const HISTORY = new URL("../../fixtures/history/schema_17.sql", import.meta.url);

const ABSURD = 50;
const AT = 1_795_361_000_000;

/** A call of an unlimited project: 25 of 10 prompt tokens cached, 9 of 5 completion tokens thought. */
function absurdCall(): (string | number | null)[] {
  const head = [ABSURD, "req_absurd", "default", "key_1", "chat", "echo-1", "builtin"];
  const hold = ["builtin/echo-1", 1, 0, 1, 0, AT, "settled", "completed", AT, 5, 1];
  const usage = [10, 5, 25, 7, 9, "reported", 0];
  // 10 cached at 0.11 and 5 thought at 3.3 a million, 0.00001 a call; sold for 1.337 times that.
  const money = [2_760, 3_690, 0, 0, null];
  const values = [...head, ...hold, ...usage, ...money];
  return [...values, null, null, null, rowChecksum(values)];
}

/** The rows of that version's database, with one more call. */
async function writeHistory(path: string): Promise<void> {
  const sql = await Deno.readTextFile(HISTORY);
  await withRawDatabase(path, (database) => {
    database.exec(sql);
    const columns = database.prepare("SELECT name FROM pragma_table_info('calls')").all()
      .map(({ name }) => name).filter((name) => name !== "checksum");
    const call = absurdCall();
    assert.equal(columns.length, call.length - 1);
    database.prepare(
      `INSERT INTO calls (${columns.join(", ")}, checksum) VALUES (${call.map(() => "?").join()})`,
    ).run(...call);
    const { seq } = database.prepare("SELECT max(seq) AS seq FROM ledger").get()!;
    const row = [seq as number + 1, "default", "settle", 0, 0, ABSURD, null, AT];
    database.prepare("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(...row, rowChecksum(row));
  });
}

Deno.test("a database of schema version 17 is priced as before, and goes on", async () => {
  await withDatabasePath(async (path) => {
    await writeHistory(path);
    await using admin = await openTestAdmin({ path });
    const { differences, checked } = await verifyLedger.run(admin.deps, {});
    assert.deepEqual(differences, []);
    assert.equal(checked.calls, 7);

    const calls = await admin.storage.calls.slice(0, 100) as ClosedCall[];
    for (const call of calls) {
      const [prices] = await admin.storage.catalogue.priceVersions([call.priceVersion]);
      const { costE8, saleE8 } = priceWork(prices!, boughtBy(call));
      assert.deepEqual([costE8, saleE8], [call.costE8, call.saleE8], call.requestId);
    }
    assert.deepEqual(calls.at(-1)!.work, { input: 0, output: 0, cachedInput: 10, reasoning: 5 });
    const films = calls.flatMap(({ video }) => video ?? []);
    assert.deepEqual(films, [{ size: "640x360", seconds: 1 }, { size: "1280x720", seconds: 2 }]);

    const work = { input: 3, inputAudio: 70, cacheWrite1h: 9, output: 2, outputAudio: 40 };
    const next = sampleClosedCall({ callId: ABSURD + 1, projectId: "default", work });
    const unpaid = { heldE8: 0n, unlimited: true, chargedE8: 0n, lossE8: 0n, priceVersion: 1 };
    const [prices] = await admin.storage.catalogue.priceVersions([1]);
    const terms = { serviceTier: "priority" };
    const call = { ...next, ...unpaid, ...priceWork(prices!, { work }), terms };
    await admin.storage.commitBatch([{ kind: "close", call }]);
    assert.deepEqual((await admin.storage.calls.slice(ABSURD, 1))[0], call);
    assert.deepEqual((await verifyLedger.run(admin.deps, {})).differences, []);
  });
  await withDatabasePath(async (path) => {
    await writeHistory(path);
    await using _ = await openTestAdmin({ path });
    await withRawDatabase(path, (database) => {
      assert.equal(database.prepare("PRAGMA integrity_check").get()!.integrity_check, "ok");
      const { sql } = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'calls'").get()!;
      assert.doesNotMatch(sql as string, /capability = |result = |usage_source = /);
      assert.match(sql as string, /CHECK \(state = 'open' OR state = 'settled'/);
    });
  });
});
