/**
 * One of the driver's Workers as the main thread sees it: operations by messages or a line of its
 * own, answered in whatever order.
 *
 * @module
 */

import { Worker } from "node:worker_threads";
import { BriefMap } from "../../domain/brief_map.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { DirectLine } from "./direct_line.ts";
import type { WorkerReply, WorkerRequest } from "./worker_protocol.ts";

/** How a Worker is started and watched. */
export interface WorkerLinkOptions {
  /** The Worker's module. */
  readonly entry: URL;
  readonly workerData: unknown;
  /** What requests go by, where `workerData` has its other end; otherwise they are messages. */
  readonly line?: DirectLine;
  /** What everything pending is rejected with when the Worker ends without being asked to. */
  readonly crash: (what: string, cause: unknown) => Error;
  /** Called once if it does. */
  readonly onCrash?: ((error: Error) => void) | undefined;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** A Worker and what it was asked. */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #pending: BriefMap<number, Pending> = new BriefMap();
  readonly #options: WorkerLinkOptions;
  #lastId = 0;
  #closing: Promise<void> | undefined;
  #orderly = false;
  #ended: Error | undefined;
  #cause: unknown;

  constructor(options: WorkerLinkOptions) {
    this.#options = options;
    const { entry, workerData, line } = options;
    const transferList = line === undefined ? [] : [line.start.messages];
    this.#worker = new Worker(entry, { workerData, transferList });
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
      this.#give(request);
      this.#pending.set(id, { resolve, reject });
    });
  }

  #give(request: WorkerRequest): void {
    const { line } = this.#options;
    if (line === undefined) this.#worker.postMessage(request);
    else line.give(request);
  }

  /** What was asked before is answered first; what is asked later is refused. */
  #close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#ended = new Error("The storage is closed");
    this.#closing = this.#request<void>("close", []).finally(() => this.#end());
    return this.#closing;
  }

  /**
   * Ends the Worker, idle or not: everything pending is rejected with `error`. Some
   * runtimes cannot end one that is busy, which is then left to itself.
   */
  abandon(error: Error): Promise<void> {
    this.#refuseAll(error);
    return this.#end();
  }

  /** The Worker is idle then, so that ending it works on every runtime. */
  async #end(): Promise<void> {
    this.#orderly = true;
    this.#options.line?.end();
    await this.#worker.terminate();
  }

  #receive(reply: WorkerReply): void {
    const pending = this.#pending.take(reply.id);
    if (pending === undefined) return;
    if (!("error" in reply)) return pending.resolve(reply.value as never);
    const { name, message } = reply.error;
    if (name === "StorageOpenError") return pending.reject(new StorageOpenError(message));
    pending.reject(name === "RangeError" ? new RangeError(message) : new Error(message));
  }

  #exited(code: number): void {
    if (this.#orderly) return;
    this.#options.line?.end();
    const detail = this.#cause instanceof Error ? `: ${this.#cause.message}` : "";
    this.#refuseAll(this.#options.crash(`code ${code}${detail}`, this.#cause));
    this.#options.onCrash?.(this.#ended!);
  }

  #refuseAll(error: Error): void {
    this.#ended = error;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
