/**
 * Stands in for the reader's Worker: opens, then ends or says nothing, as its path
 * tells it to; for another path it answers.
 *
 * @module
 */

import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import type { ReaderStart, WorkerRequest } from "../../../../src/storage/sqlite/worker_protocol.ts";

if (parentPort !== null) {
  const port = parentPort;
  const { path } = workerData as ReaderStart;
  const marker = `${path}-was-broken`;
  const isBroken = !exists(marker);
  port.on("message", ({ id }: WorkerRequest) => {
    if (!isBroken) return port.postMessage({ id, value: 7 });
    Deno.writeTextFileSync(marker, "");
    if (path.includes("throws")) throw new Error("disk on fire");
    if (path.includes("exits")) process.exit(3);
  });
  port.postMessage({ id: 0, value: undefined });
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
