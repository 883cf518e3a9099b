/**
 * What entries keep for projects, told on their way to the writer and back.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { ANSWER_ROW_BYTES, type KeptState } from "../domain/kept_bytes.ts";
import type { StoredResponse } from "../domain/stored_response.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Entry, EntryResult } from "../storage/ports/entry.ts";
import type { IdempotencyRecord } from "../domain/idempotency.ts";
import { keptOf } from "../storage/ports/kept_of.ts";

/** What an entry keeps. */
export interface KeptPart {
  readonly projectId: string;
  readonly response: StoredResponse | undefined;
  readonly responseBytes: number;
  readonly answerBytes: number;
}

/** Who is told. */
export interface KeptEvents {
  /** An entry goes to the writer. */
  onGiven(part: KeptPart): void;
  /** It is written, or refused. */
  onDone(part: KeptPart, isWritten: boolean): void;
  /** What projects keep has changed; told before {@linkcode onDone}. */
  onChanged(state: KeptState): void;
}

/** Bytes that count of an answer of the Responses API. */
export function bytesOfResponse({ input, body }: Pick<StoredResponse, "input" | "body">): number {
  return Buffer.byteLength(input) + Buffer.byteLength(body);
}

/** Bytes that count of an answer for repeated requests, of whose body nothing may be kept. */
function bytesOfAnswer(body: string | undefined): number {
  return ANSWER_ROW_BYTES + (body === undefined ? 0 : Buffer.byteLength(body));
}

/** A queue in front of another one. */
export class KeptCommits implements CommitQueue {
  readonly #inner: CommitQueue;
  readonly #events: KeptEvents;

  constructor(inner: CommitQueue, events: KeptEvents) {
    this.#inner = inner;
    this.#events = events;
  }

  get full(): boolean {
    return this.#inner.full;
  }

  get pending(): number {
    return this.#inner.pending;
  }

  flush(): Promise<void> {
    return this.#inner.flush();
  }

  /** Holds and their moves: they keep nothing. */
  enqueue(entry: Entry, onRefused?: (result: EntryResult) => void): void {
    this.#inner.enqueue(entry, onRefused);
  }

  commit(entry: Entry): Promise<EntryResult> {
    return new Promise((done) => this.commitThen(entry, done));
  }

  commitThen(entry: Entry, done: (result: EntryResult) => void): void {
    // What most calls end with is passed on as it is.
    if (changesNothingKept(entry)) return this.#inner.commitThen(entry, done);
    const part = partOf(entry);
    if (part !== undefined) this.#events.onGiven(part);
    this.#inner.commitThen(entry, (result) => {
      if (result.ok && result.kept !== undefined) this.#events.onChanged(result.kept);
      if (part !== undefined) this.#events.onDone(part, result.ok);
      done(result);
    });
  }
}

function changesNothingKept(entry: Entry): boolean {
  return entry.kind === "change_video" ||
    (entry.kind === "close" && entry.response === undefined &&
      (entry.idempotency === undefined || isCached(entry.idempotency)));
}

function partOf(entry: Entry): KeptPart | undefined {
  const { response, idempotency } = keptOf(entry);
  const answer = idempotency === undefined || isCached(idempotency) ? undefined : idempotency;
  const projectId = response?.projectId ?? answer?.projectId;
  if (projectId === undefined) return undefined;
  return {
    projectId,
    response,
    responseBytes: response === undefined ? 0 : bytesOfResponse(response),
    answerBytes: answer === undefined ? 0 : bytesOfAnswer(answer.body),
  };
}

/** Those of a cache have a bound of their own, and make way for each other. */
function isCached({ cacheBytes }: IdempotencyRecord): boolean {
  return cacheBytes !== undefined;
}
