/**
 * A process that commits calls as fast as it can and prints the id of every one
 * that is acknowledged, until it is killed. Arguments: database path, placement.
 *
 * @module
 */

import { GatheringQueue } from "../../../src/storage/commit_queue.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { createWorkerStorage } from "../../../src/storage/sqlite/worker_client.ts";
import { keptAnswer } from "../../conformance/storage_responses_suite.ts";
import { sampleClosedCall, sampleOpenCall } from "../../conformance/storage_samples.ts";

const [path, placement] = Deno.args as [string, string];
const storage = placement === "worker"
  ? await createWorkerStorage(path)
  : createSqliteStorage(path);
const queue = new GatheringQueue({ write: (batch) => storage.commitBatch(batch), lingerMs: 1 });
const encoder = new TextEncoder();
let callId = await storage.calls.lastCallId();

async function loop(): Promise<void> {
  for (;;) {
    const id = ++callId;
    queue.enqueue({ kind: "hold", call: sampleOpenCall({ callId: id }) });
    // Every third call is written with its hold, the others in two steps.
    if (id % 3 > 0) await queue.flush();
    const result = await queue.commit({
      kind: "close",
      call: sampleClosedCall({ callId: id, chargedE8: BigInt(id % 100), lossE8: BigInt(id % 2) }),
      ...(id % 2 === 0 && { response: keptAnswer(id) }),
    });
    if (!result.ok) throw new Error(result.message);
    Deno.stdout.writeSync(encoder.encode(`${id}\n`));
  }
}

await Promise.all(Array.from({ length: 8 }, loop));
