/**
 * Reads in a thread and on a connection of their own, for whatever may take long:
 * nothing that is asked here keeps a call waiting.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import type { Storage, StorageReads } from "../../ports/storage.ts";
import { readsOver } from "../operations.ts";
import { WorkerLink } from "../worker_link.ts";
import type { ReaderStart, WorkerRequest } from "../worker_protocol.ts";

/** What a reader is made from. */
export interface ReaderOptions {
  /** Has the sums that are read written first. */
  readonly writer: Pick<Storage, "writeSums">;
  /** The longest that an answer is waited for: longer than whatever bounds itself. */
  readonly answerMs?: number;
  /** The Worker's module; by default the driver's own. */
  readonly entry?: URL;
}

/** Reads, until it is closed. */
export interface ReaderStorage extends StorageReads {
  /** Ends what is being read. */
  close(): Promise<void>;
}

const ANSWER_MS = 60_000;

/**
 * Reads the database at `path`, which a writer of this process has open. The thread
 * is started by the first read; one that ends or does not answer is replaced by the
 * next read.
 *
 * Every read may reject with a {@linkcode GatewayError} `reading_failed`.
 */
export function createReaderStorage(path: string, options: ReaderOptions): ReaderStorage {
  const reader = new Reader(path, options);
  const { writer } = options;
  const reads = readsOver((name, args, servedBy) =>
    servedBy === "anyone_after_sums"
      ? writer.writeSums().then(() => reader.call(name, args))
      : reader.call(name, args)
  );
  return { ...reads, close: () => reader.close() };
}

/** The bundler names a Worker's file after its path under `src`, beside the main bundle. */
function workerAddress(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : new URL("./storage_sqlite_reader_worker.js", import.meta.url);
}

class Reader {
  readonly #path: string;
  readonly #options: ReaderOptions;
  #link: WorkerLink | undefined;
  #opened: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, options: ReaderOptions) {
    this.#path = path;
    this.#options = options;
  }

  async call<Result>(name: WorkerRequest["name"], args: readonly unknown[]): Promise<Result> {
    if (this.#isClosed) throw new Error("The storage is closed");
    const link = this.#link ??= this.#start();
    const { answerMs = ANSWER_MS } = this.#options;
    const timer = setTimeout(() => {
      this.#forget(link);
      link.abandon(notAnswered(answerMs));
    }, answerMs);
    try {
      await this.#opened;
      return await link.call<Result>(name, args);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    const link = this.#link;
    if (link === undefined) return Promise.resolve();
    this.#forget(link);
    return link.abandon(new Error("The storage is closed"));
  }

  #start(): WorkerLink {
    const workerData: ReaderStart = { path: this.#path };
    const link = new WorkerLink({
      entry: this.#options.entry ?? workerAddress(),
      workerData,
      crash: ended,
      onCrash: () => this.#forget(link),
    });
    this.#opened = link.open().catch((error) => {
      this.#forget(link);
      throw error;
    });
    // Whoever reads is told of it; it may have been the last one that went.
    this.#opened.catch(() => {});
    return link;
  }

  #forget(link: WorkerLink): void {
    if (this.#link === link) this.#link = undefined;
  }
}

const AGAIN = "What was asked is given up; ask again, for less (narrower dates, fewer rows)";

function ended(what: string, cause: unknown): Error {
  return new GatewayError(
    "reading_failed",
    `The thread that reads the database ended with ${what} and is replaced. ${AGAIN}`,
    { cause },
  );
}

function notAnswered(answerMs: number): Error {
  return new GatewayError(
    "reading_failed",
    `The thread that reads the database did not answer within ${
      answerMs / 1000
    } seconds and is replaced. ${AGAIN}`,
  );
}
