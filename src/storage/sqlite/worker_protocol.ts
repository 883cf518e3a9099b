/**
 * The messages between the storage's client and its Worker.
 *
 * @module
 */

import type { MessagePort } from "node:worker_threads";
import type { OperationName } from "../ports/storage.ts";

/** What the Worker is started with. */
export interface WorkerStart {
  readonly path: string;
  /** Milliseconds that every batch takes longer, to measure a slow disk. */
  readonly commitDelayMs: number;
  /** Where its requests come from. */
  readonly line: LineStart;
}

/** The Worker's end of a direct line. */
export interface LineStart {
  /** Where usual batches are put. */
  readonly memory: SharedArrayBuffer;
  /** What everything else comes by; to be transferred. */
  readonly messages: MessagePort;
}

/** What the reader's Worker is started with. */
export type ReaderStart = Pick<WorkerStart, "path">;

/** One operation to perform; `args` of `commitBatch` are a batch's message. */
export interface WorkerRequest {
  readonly id: number;
  readonly name: OperationName;
  readonly args: readonly unknown[];
}

/** What came of it; `id` 0 answers the opening of the database. */
export type WorkerReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: Pick<Error, "name" | "message"> };
