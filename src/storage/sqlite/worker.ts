/**
 * The SQLite driver's Worker: owns the database and performs one request after
 * the other. Its client ends it after `close`.
 *
 * @module
 */

import { workerData } from "node:worker_threads";
import { type BatchMessage, decodeBatch, encodeResults } from "./batch_message.ts";
import { openDatabase } from "./database.ts";
import { LogMerger } from "./log_merger.ts";
import { serving } from "./operations.ts";
import { type Answer, serveLine } from "./serve_requests.ts";
import { createStores } from "./stores.ts";
import type { WorkerStart } from "./worker_protocol.ts";

const start = workerData as WorkerStart;
serveLine(start.line, () => open(start));

function open({ path, commitDelayMs }: WorkerStart): Answer {
  const database = openDatabase(path);
  const stores = createStores(database, path);
  const perform = serving(stores);
  const log = new LogMerger(database);
  return ({ name, args }, { reply }) => {
    if (name !== "commitBatch") return reply(perform(name, args));
    if (commitDelayMs > 0) sleep(commitDelayMs);
    const batch = decodeBatch(args as unknown as BatchMessage);
    reply(encodeResults(stores.commitBatch(batch)));
    log.wrote(batch);
  };
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
