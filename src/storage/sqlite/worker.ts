/**
 * The SQLite driver's Worker: owns the database and performs one request after
 * the other. Its client ends it after `close`.
 *
 * @module
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { SynchronousStorage } from "../ports/storage.ts";
import { type BatchMessage, decodeBatch, encodeResults } from "./batch_message.ts";
import { openDatabase } from "./database.ts";
import { describeError, type TravellingError } from "./describe_error.ts";
import { LogMerger } from "./log_merger.ts";
import { type ServeOperation, serving } from "./operations.ts";
import { createStores } from "./stores.ts";
import type { WorkerReply, WorkerRequest, WorkerStart } from "./worker_protocol.ts";

if (parentPort !== null) serve(workerData as WorkerStart);

function serve({ path, commitDelayMs }: WorkerStart): void {
  const port = parentPort!;
  const reply = (message: WorkerReply) => port.postMessage(message);
  let stores: SynchronousStorage;
  let perform: ServeOperation;
  let log: LogMerger;
  try {
    const database = openDatabase(path);
    stores = createStores(database, path);
    perform = serving(stores);
    log = new LogMerger(database);
  } catch (error) {
    refuse(port, describeError(error));
    return;
  }
  port.on("message", ({ id, name, args }: WorkerRequest) => {
    try {
      if (name === "commitBatch") {
        if (commitDelayMs > 0) sleep(commitDelayMs);
        const batch = decodeBatch(args as unknown as BatchMessage);
        reply({ id, value: encodeResults(stores.commitBatch(batch)) });
        log.wrote(batch);
        return;
      }
      reply({ id, value: perform(name, args) });
    } catch (error) {
      reply({ id, error: describeError(error) });
    }
  });
  reply({ id: 0, value: undefined });
}

/**
 * It stays until its client ends it: on some runtimes a Worker that ends by itself may take along
 * what it said last.
 */
function refuse(port: MessagePort, error: TravellingError): void {
  port.on("message", ({ id }: WorkerRequest) => port.postMessage({ id, error }));
  port.postMessage({ id: 0, error });
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
