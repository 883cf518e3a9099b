/**
 * A serving thread that serves nobody: it asks whose a key is, takes holds from the shared memory,
 * tells of one of them, and ends by a fault. The one that takes its place is quiet.
 *
 * @module
 */

import { parentPort, workerData } from "node:worker_threads";
import { SharedMemory } from "../../src/app/threads/shared_memory.ts";
import {
  CallNewsWriter,
  type FromThread,
  type ThreadStart,
  type ToThread,
} from "../../src/app/threads/thread_protocol.ts";
import { keyOf, openOf } from "./ledger_bench.ts";

if (parentPort !== null) {
  const { index, buffers } = workerData as ThreadStart;
  const shared = new SharedMemory(buffers);
  const memory = shared.thread(index);
  const post = (message: FromThread) => parentPort!.postMessage(message);
  parentPort.on("message", (message: ToThread) => {
    if (message.kind !== "learnt" || message.found === undefined) return;
    const { slot, projectGauge, caller: { project } } = message.found;
    const told = { ...openOf, projectId: project.id };
    memory.take(slot, told.heldE8);
    memory.take(slot, 50n);
    shared.gauges(index).cells(projectGauge!).places.take(2);
    const news = new CallNewsWriter();
    news.hold(told);
    post({ kind: "calls", text: news.take() });
    throw new Error("a fault of the thread");
  });
  post({ kind: "listening" });
  const isFirst = Atomics.compareExchange(new Int32Array(buffers.words), 7, 0, 1) === 0;
  if (isFirst) post({ kind: "learn", ask: 1, key: keyOf });
}
