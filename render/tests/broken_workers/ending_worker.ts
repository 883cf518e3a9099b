/**
 * A render Worker that ends when it gets a job, in the way that the order's prompt names.
 *
 * @module
 */

import { exit } from "node:process";
import { parentPort } from "node:worker_threads";
import type { RenderJob } from "../../worker_protocol.ts";

parentPort!.on("message", (job: RenderJob) => {
  const prompt = "render" in job ? job.render.prompt : "";
  parentPort!.postMessage(0.5);
  if (prompt === "throws") throw new TypeError("It threw");
  if (prompt === "rejects") Promise.reject(new TypeError("It rejected"));
  if (prompt === "exits") exit(3);
  if (prompt === "reports") parentPort!.postMessage({ crash: "It reported" });
  if (prompt === "eats memory") {
    const eaten: unknown[] = [];
    while (true) eaten.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  }
});
