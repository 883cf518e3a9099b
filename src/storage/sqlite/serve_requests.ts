/**
 * What the driver's Workers do with requests: each is one operation, answered when it is done.
 *
 * @module
 */

import { type MessagePort, parentPort } from "node:worker_threads";
import { takeFromLine } from "./direct_line.ts";
import type { LineStart, WorkerReply, WorkerRequest } from "./worker_protocol.ts";

/** How a request is answered. */
export interface Answering {
  reply(value: unknown): void;
  /** Goes on after so many milliseconds; an error there is the answer, as it is at once. */
  later(ms: number, work: () => void): void;
}

/** Performs an operation. What it throws is the answer. */
export type Answer = (request: WorkerRequest, answering: Answering) => void;

/**
 * Serves the Worker's client once `open` has opened the database. Where that fails, every request is
 * refused with its error. The Worker stays until its client ends it: on some runtimes one that ends
 * by itself may take along what it said last.
 */
export function serveRequests(open: () => Answer): void {
  const port = parentPort!;
  port.on("message", opened(port, open));
}

/** Serves as {@linkcode serveRequests} what comes by a line of its own. */
export function serveLine(line: LineStart, open: () => Answer): void {
  const port = parentPort!;
  // The Worker ends by itself where nobody listens.
  port.on("message", () => {});
  takeFromLine(line, opened(port, open));
}

/** Opens the database and says so; what is returned performs a request and never throws. */
function opened(port: MessagePort, open: () => Answer): (request: WorkerRequest) => void {
  const send = (message: WorkerReply) => port.postMessage(message);
  const guarded = (id: number, work: () => void) => {
    try {
      work();
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      send({ id, error: { name, message } });
    }
  };
  let answer: Answer;
  const answeringTo = (id: number): Answering => ({
    reply: (value) => send({ id, value }),
    later: (ms, work) => void setTimeout(() => guarded(id, work), ms),
  });
  guarded(0, () => {
    try {
      answer = open();
    } catch (error) {
      answer = () => {
        throw error;
      };
      throw error;
    }
    send({ id: 0, value: undefined });
  });
  return (request) => guarded(request.id, () => answer(request, answeringTo(request.id)));
}
