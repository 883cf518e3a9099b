/**
 * Stands in for the Worker that packs: the same, but a call waits until the test lets it go on.
 *
 * @module
 */

import { parentPort } from "node:worker_threads";
import { packPrompt } from "../../src/prompts/pack_prompt.ts";
import type { PackRequest } from "../../src/prompts/worker_protocol.ts";

if (parentPort !== null) {
  const port = parentPort;
  const line = new BroadcastChannel("held-packer");
  const held: (() => void)[] = [];
  line.onmessage = () => held.shift()?.();
  port.on("message", async ({ id, said }: PackRequest) => {
    if (said.requestId === "req_held") {
      const goesOn = new Promise<void>((resolve) => held.push(resolve));
      line.postMessage("holds");
      await goesOn;
    }
    port.postMessage({ id, bytes: await packPrompt(said) });
  });
}
