/**
 * Stands in for the storage's Worker: opens, then ends in the way it is asked to.
 *
 * @module
 */

import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { takeFromLine } from "../../../src/storage/sqlite/direct_line.ts";
import type { WorkerStart } from "../../../src/storage/sqlite/worker_protocol.ts";

if (parentPort !== null) {
  const port = parentPort;
  port.on("message", () => {});
  takeFromLine((workerData as WorkerStart).line, ({ name }) => {
    if (name === "calls.lastCallId") throw new Error("disk on fire");
    if (name === "info") process.exit(3);
  });
  port.postMessage({ id: 0, value: undefined });
}
