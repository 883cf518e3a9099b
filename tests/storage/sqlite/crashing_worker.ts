/**
 * Stands in for the storage's Worker: opens, then ends in the way it is asked to.
 *
 * @module
 */

import process from "node:process";
import { parentPort } from "node:worker_threads";
import type { WorkerRequest } from "../../../src/storage/sqlite/worker_protocol.ts";

if (parentPort !== null) {
  const port = parentPort;
  port.on("message", ({ name }: WorkerRequest) => {
    if (name === "calls.lastCallId") throw new Error("disk on fire");
    if (name === "info") process.exit(3);
  });
  port.postMessage({ id: 0, value: undefined });
}
