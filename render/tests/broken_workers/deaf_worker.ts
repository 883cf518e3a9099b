/**
 * A render Worker that works for ever and looks at no stop flag.
 *
 * @module
 */

import { parentPort } from "node:worker_threads";

parentPort!.on("message", () => setInterval(() => parentPort!.postMessage(0.5), 20));
