/**
 * The SQLite driver in a Worker: the storage port by messages.
 *
 * @module
 */

import { Worker } from "node:worker_threads";
import type { Storage } from "../ports/storage.ts";
import { decodeResults, encodeBatch } from "./batch_message.ts";
import { StorageOpenError } from "./storage_open_error.ts";
import { storageOver } from "./storage_over.ts";
import type { WorkerReply, WorkerRequest, WorkerStart } from "./worker_protocol.ts";

/** How the Worker is started and watched. */
export interface WorkerStorageOptions {
  /**
   * Called once if the Worker ends without being asked to. Everything pending is
   * rejected and nothing can be stored any more: the process should stop.
   */
  readonly onCrash?: (error: Error) => void;
  /** Makes every batch take longer, to measure what a slow disk does. */
  readonly commitDelayMs?: number;
  /** The Worker's module; by default the driver's own. */
  readonly entry?: URL;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens the database at `path` in a Worker of its own, so that syncs and reports
 * never block this thread.
 *
 * @throws {StorageOpenError} If the file cannot be used.
 */
export async function createWorkerStorage(
  path: string,
  options: WorkerStorageOptions = {},
): Promise<Storage> {
  const client = new WorkerClient(path, options);
  await client.open();
  const storage = storageOver((name, ...args) => client.call(name, args));
  return {
    ...storage,
    async commitBatch(batch) {
      return decodeResults(await client.call("commitBatch", encodeBatch(batch)));
    },
  };
}

/** The bundler names a Worker's file after its path under `src`, beside the main bundle. */
function workerAddress(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : new URL("./storage_sqlite_worker.js", import.meta.url);
}

class WorkerClient {
  readonly #worker: Worker;
  readonly #pending: Map<number, Pending> = new Map();
  readonly #onCrash: ((error: Error) => void) | undefined;
  #lastId = 0;
  #closing: Promise<void> | undefined;
  #orderly = false;
  #ended: Error | undefined;
  #cause: unknown;

  constructor(path: string, options: WorkerStorageOptions) {
    const start: WorkerStart = { path, commitDelayMs: options.commitDelayMs ?? 0 };
    this.#onCrash = options.onCrash;
    this.#worker = new Worker(options.entry ?? workerAddress(), { workerData: start });
    this.#worker.on("message", (reply: WorkerReply) => this.#receive(reply));
    // Some runtimes report a throw by `exit` alone; others by `error`, then `exit`.
    this.#worker.on("error", (error: unknown) => this.#cause = error);
    this.#worker.on("exit", (code: number) => this.#exited(code));
  }

  /** Waits for the Worker to have opened the database. */
  async open(): Promise<void> {
    try {
      await new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }));
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  call<Result>(name: WorkerRequest["name"], args: readonly unknown[]): Promise<Result> {
    if (name === "close") return this.#close() as Promise<Result>;
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return this.#request(name, args);
  }

  #request<Result>(name: WorkerRequest["name"], args: readonly unknown[]): Promise<Result> {
    const id = ++this.#lastId;
    const request: WorkerRequest = { id, name, args };
    return new Promise((resolve, reject) => {
      this.#worker.postMessage(request);
      this.#pending.set(id, { resolve, reject });
    });
  }

  /** What was asked before is answered first; what is asked later is refused. */
  #close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#ended = new Error("The storage is closed");
    this.#closing = this.#request<void>("close", []).finally(() => this.#end());
    return this.#closing;
  }

  /** The Worker is idle then, so that ending it works on every runtime. */
  async #end(): Promise<void> {
    this.#orderly = true;
    await this.#worker.terminate();
  }

  #receive(reply: WorkerReply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    if (!("error" in reply)) return pending.resolve(reply.value as never);
    const { name, message } = reply.error;
    if (name === "StorageOpenError") return pending.reject(new StorageOpenError(message));
    pending.reject(name === "RangeError" ? new RangeError(message) : new Error(message));
  }

  #exited(code: number): void {
    if (this.#orderly) return;
    this.#ended = this.#crash(code);
    for (const pending of this.#pending.values()) pending.reject(this.#ended);
    this.#pending.clear();
    this.#onCrash?.(this.#ended);
  }

  #crash(code: number): Error {
    const detail = this.#cause instanceof Error ? `: ${this.#cause.message}` : "";
    return new Error(
      `The storage's Worker ended with code ${code}${detail}. Nothing can be stored any more; restart tollgate`,
      { cause: this.#cause },
    );
  }
}
