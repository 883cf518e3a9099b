/**
 * When the log is merged.
 *
 * @module
 */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { LogMerger } from "../../../src/storage/sqlite/log_merger.ts";
import { sampleResponse } from "../../conformance/storage_responses_suite.ts";
import { sampleClosedCall } from "../../conformance/storage_samples.ts";

const CALL: Entry = { kind: "close", call: sampleClosedCall() };
const LARGE: Entry = { ...CALL, response: sampleResponse({ body: "x".repeat(5_000_000) }) };
const PAGE_BYTES = 4_096;

/** A log that is written page by page. */
async function withLog(
  run: (at: {
    readonly path: string;
    readonly merger: LogMerger;
    /** Writes so many pages, as one batch of one call. */
    readonly write: (pages?: number, entry?: Entry) => void;
    readonly logBytes: () => number;
  }) => void,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/tollgate.db`;
  const database = openDatabase(path);
  try {
    const merger = new LogMerger(database);
    database.exec("CREATE TABLE filler (bytes BLOB)");
    const insert = database.prepare("INSERT INTO filler VALUES (zeroblob(?))");
    run({
      path,
      merger,
      write(pages = 8, entry = CALL) {
        insert.run(pages * PAGE_BYTES);
        merger.wrote([entry]);
      },
      logBytes: () => statSync(`${path}-wal`).size,
    });
  } finally {
    database.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("LogMerger merges a log that has grown, so that it begins anew", () =>
  withLog(({ write, logBytes }) => {
    for (let count = 0; count < 50; count++) write();
    const early = logBytes();
    assert.ok(early > 400 * PAGE_BYTES);
    for (let count = 0; count < 5_000; count++) write();
    assert.ok(logBytes() < 2_500 * PAGE_BYTES, `${logBytes()} bytes`);
  }));

Deno.test("LogMerger counts the texts that are kept", () =>
  withLog(({ write, logBytes }) => {
    for (let count = 0; count < 20; count++) write(1_250, LARGE);
    assert.ok(logBytes() < 3_000 * PAGE_BYTES, `${logBytes()} bytes`);
  }));

Deno.test("LogMerger goes on beside a reader, and the log begins anew when that has ended", () =>
  withLog(({ path, write, logBytes }) => {
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM filler").get();
    for (let count = 0; count < 500; count++) write();
    const long = logBytes();
    assert.ok(long > 4_000 * PAGE_BYTES);
    reader.exec("COMMIT");
    reader.close();
    for (let count = 0; count < 400; count++) write();
    assert.ok(logBytes() <= long + 1_200 * PAGE_BYTES, `${logBytes()} bytes after ${long}`);
  }));
