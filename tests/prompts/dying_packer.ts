/**
 * Stands in for the Worker that packs: the same, but for one call that ends it.
 *
 * @module
 */

import process from "node:process";
import { parentPort } from "node:worker_threads";
import { packPrompt } from "../../src/prompts/pack_prompt.ts";
import type { PackRequest } from "../../src/prompts/worker_protocol.ts";

if (parentPort !== null) {
  const port = parentPort;
  port.on("message", async ({ id, said }: PackRequest) => {
    if (said.requestId === "req_dies") process.exit(3);
    port.postMessage({ id, bytes: await packPrompt(said) });
  });
}
