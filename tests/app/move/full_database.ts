/**
 * A database with rows in every table, and all of it as text.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import {
  MOVED_TABLES,
  type MovedSide,
  type MoveSource,
  type MoveTarget,
} from "../../../src/storage/ports/moving.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import {
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import {
  claimedTask,
  closedTaskCall,
  completedTask,
  createEntry,
  sampleAnswer,
  sampleMessage,
  sampleTask,
} from "../../conformance/storage_video_samples.ts";
import { sampleResponse } from "../../conformance/storage_responses_suite.ts";
import assert from "node:assert/strict";

/** What the entries leave empty, and numbers and texts that not every way keeps as they are. */
const FURTHER_ROWS = `
INSERT INTO admin_tokens VALUES ('t', 'ops', 'tga_1', '${
  "a".repeat(64)
}', 'owner', NULL, NULL, 1, NULL, NULL);
INSERT INTO audit (seq, at, channel, operation, subject, after, previous, checksum)
  VALUES (1, 1, 'cli', 'catalogue.apply', 'catalogue:x.yaml', '{"project shop": 1, "model ü": "\\u0000"}', 0, -5);
INSERT INTO audit (seq, at, channel, operation, subject, after, previous, checksum)
  VALUES (2, 2, 'cli', 'keys.create', 'key:1', '{}', -5, 9007199254740993);
INSERT INTO batches VALUES (7, 'batch_${
  "a".repeat(26)
}', 'acme', 'k', '/v1', 'file-1', '24h', NULL, NULL,
  'file-2', 'file-3', 1, 2, 'in_progress', 'm', 2, 1, 0, 1, 0, 1, 0, 10, 0, '[]', 1, NULL, NULL, NULL);
INSERT INTO batch_lines VALUES ('batch_${"a".repeat(26)}', 1, 0, '{"it''s": "€\\n"}', 1, 0, 1, 0);
INSERT INTO batch_lines VALUES ('batch_${"a".repeat(26)}', 2, 1, NULL, 0, 0, 0, 0);
INSERT INTO cached_answers VALUES ('acme', '/v1', 'k', 'f', 'r', 200, '{}', NULL, NULL, 1, 2, 3);
INSERT INTO detail_hourly VALUES (1, 'acme', 'k', 'chat', 'm', 'p', 'r', 1, 2, 3, 4, 5, 6, 9223372036854775807,
  0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO refusal_hourly VALUES (1, 'acme', 'k', 'm', 'limit', 'rpm', 3, 4);
INSERT INTO refused_requests VALUES (9, 8, 'r', 'acme', 'k', 'chat', 'm', 'limit', 'rpm', 429, '', 'x', 1, NULL);
INSERT INTO spend_hourly VALUES (1, 'acme', 'k', 3);
INSERT INTO spend_states VALUES ('key', 'k', '{}');
INSERT INTO uploaded_files VALUES (4, 'file-${"b".repeat(26)}', 'acme', 'batch', 'a?.jsonl', 3, '${
  "c".repeat(64)
}', 1, NULL, NULL);
INSERT INTO uploaded_files VALUES (6, 'file-${"d".repeat(26)}', 'acme', 'batch', 'b', 3, '${
  "c".repeat(64)
}', 1, NULL, 'files/d/1');
INSERT INTO usage_daily VALUES (1, 'acme', 'm', 'p', 'r', 1, 2, 3, 4, 5, 6, 7);
INSERT INTO usage_hourly VALUES (24, 'acme', 'm', 'p', 'r', 1, 1, 1, 1, 1, 1, 1);
INSERT OR IGNORE INTO kept_bytes VALUES ('acme', 1, 2, 3);
INSERT INTO stored_response_items VALUES ('acme', 'msg_2', (SELECT call_id FROM stored_responses));
UPDATE video_tasks SET revision = revision + 1, moved_to = 2.5 WHERE status = 'in_progress';
INSERT INTO kept_calls VALUES (5);
INSERT INTO meta VALUES ('detail_days_before_hour', '3'), ('video_pauses', '{}'),
  ('catalogue_revision', '4');
INSERT OR IGNORE INTO meta VALUES ('currency', 'EUR'), ('audit_last', '[2,9007199254740993]');
`;

/** Archived calls have left a checkpoint and a reference, and the rows of the ledger before it are gone. */
const ARCHIVED = `
INSERT INTO checkpoints VALUES (1, 1, 0, 0, 0, 1, '/a.db', '{}', '${"a".repeat(64)}');
INSERT INTO kept_references VALUES ('acme', 'early', 5, 1);
DELETE FROM ledger WHERE seq <= 1;
`;

/** Writes it to `path`, where there is no file yet. */
export async function writeFullDatabase(path: string): Promise<void> {
  const storage = createSqliteStorage(path);
  await storage.beginSession();
  await fundProject(storage, 1_000n);
  const results = await storage.commitBatch([
    { kind: "create_key", key: sampleKey() },
    { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
    { kind: "hold", call: sampleOpenCall() },
    { kind: "close", call: sampleClosedCall({ callId: 2, lossE8: 3n }) },
    { kind: "credit", projectId: "acme", amountE8: 5n, reference: "inv", at: NOON_ISH },
    createEntry(sampleTask({ callId: 4 })),
    { kind: "change_video", task: claimedTask(sampleTask({ callId: 4 })) },
    createEntry(sampleTask({ callId: 5 })),
    { kind: "change_video", task: claimedTask(sampleTask({ callId: 5 })) },
    {
      kind: "change_video",
      task: completedTask(claimedTask(sampleTask({ callId: 5 }))),
      close: closedTaskCall(sampleTask({ callId: 5 })),
      webhook: sampleMessage(),
    },
    {
      kind: "put_webhook_secret",
      secret: { projectId: "acme", secret: "whsec_b25l", createdAt: 1, previous: undefined },
    },
    { kind: "store_answer", record: sampleAnswer() },
    { kind: "put_response", response: sampleResponse({ previousId: "resp_0" }) },
  ]);
  assert.deepEqual(results.filter(({ ok }) => !ok), []);
  await storage.writeSums();
  await storage.close();
  const database = new DatabaseSync(path);
  database.exec(FURTHER_ROWS);
  database.exec(ARCHIVED);
  database.close();
}

/** Every row of every table, in order, and the facts. */
export async function contentOf(source: MoveSource): Promise<Record<string, readonly string[]>> {
  const content: Record<string, string[]> = {
    facts: [JSON.stringify([...await source.facts()].sort())],
  };
  for (const table of MOVED_TABLES) {
    const rows: string[] = [];
    for await (const slice of source.rows(table)) {
      for (const values of slice.rows) {
        const named = slice.columns.map((name, index) => [name, values[index]] as const);
        rows.push(JSON.stringify(
          named.sort(([a], [b]) => a < b ? -1 : 1),
          (_, value) => typeof value === "bigint" ? `${value}n` : value,
        ));
      }
    }
    content[table.name] = rows;
  }
  return content;
}

/** Runs with a side, and closes it. */
export async function using<Side extends MovedSide | MoveTarget, Value>(
  side: Side,
  run: (side: Side) => Promise<Value>,
): Promise<Value> {
  try {
    return await run(side);
  } finally {
    await side.close();
  }
}
