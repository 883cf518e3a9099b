/**
 * The entry of a serving thread.
 *
 * @module
 */

import { parentPort, workerData } from "node:worker_threads";
import { serveThread } from "./serving_thread.ts";
import type { ThreadStart } from "./thread_protocol.ts";

if (parentPort !== null) {
  const port = parentPort;
  serveThread(workerData as ThreadStart, {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on("message", listener),
  });
}
