/**
 * A serving thread that takes one hold, tells of it, and hangs in a loop. The one that takes its
 * place lives, and serves nobody.
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
  const memory = new SharedMemory(buffers).thread(index);
  const post = (message: FromThread) => parentPort!.postMessage(message);
  const beat = () => memory.beat({ streams: 0, connections: 0 });
  const isFirst = Atomics.compareExchange(new Int32Array(buffers.words), 7, 0, 1) === 0;
  parentPort.on("message", (message: ToThread) => {
    if (message.kind !== "learnt" || message.found === undefined) return;
    const { slot, caller: { project } } = message.found;
    const told = { ...openOf, projectId: project.id };
    memory.take(slot, told.heldE8);
    const news = new CallNewsWriter();
    news.hold(told);
    post({ kind: "calls", text: news.take() });
    for (;;) Atomics.load(new Int32Array(buffers.words), 7);
  });
  setInterval(beat, 10);
  post({ kind: "listening" });
  if (isFirst) post({ kind: "learn", ask: 1, key: keyOf });
}
