/**
 * The Worker that redacts, shortens and compresses what calls said: one after the other, on a thread of
 * its own, so that no call waits for it.
 *
 * @module
 */

import { parentPort } from "node:worker_threads";
import { packPrompt } from "./pack_prompt.ts";
import type { PackReply, PackRequest } from "./worker_protocol.ts";

if (parentPort !== null) {
  const port = parentPort;
  port.on("message", async ({ id, said }: PackRequest) => {
    const reply = (message: PackReply) => port.postMessage(message);
    try {
      reply({ id, bytes: await packPrompt(said) });
    } catch (error) {
      // An error's words may repeat what was said.
      reply({ id, error: error instanceof Error ? error.name : "Error" });
    }
  });
}
