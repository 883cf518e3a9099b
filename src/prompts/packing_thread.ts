/**
 * The Worker that packs what calls said, as the main thread sees it: started by the first, and again
 * after it has ended or not answered.
 *
 * @module
 */

import { Worker } from "node:worker_threads";
import type { SaidPrompt } from "./said_prompt.ts";
import type { PackReply, PackRequest } from "./worker_protocol.ts";

/** Longer than the longest text takes with the most patterns. */
const ANSWER_MS = 60_000;

/** The Worker ended, did not answer or failed; what it had is lost. */
export class PackingError extends Error {
  override readonly name = "PackingError";
}

interface Pending {
  readonly id: number;
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (error: PackingError) => void;
}

export class PackingThread {
  readonly #entry: URL;
  #worker: Worker | undefined;
  #pending: Pending | undefined;
  #lastId = 0;

  /** @param entry The Worker's module; by default the real one. */
  constructor(entry: URL = workerAddress()) {
    this.#entry = entry;
  }

  /**
   * What is kept of a call, compressed. One at a time: the next is asked for when this has come.
   *
   * @throws {PackingError}
   */
  async pack(said: SaidPrompt): Promise<Uint8Array<ArrayBuffer>> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    const id = ++this.#lastId;
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#pending = { id, resolve, reject };
    try {
      const worker = this.#worker ??= this.#start();
      timer = setTimeout(() => this.#give(worker, "did not answer"), ANSWER_MS);
      const { id: projectId, quotas: { promptRedact } } = said.project;
      const quotas = promptRedact === undefined ? {} : { promptRedact };
      const project = { id: projectId, quotas };
      worker.postMessage({ id, said: { ...said, project } } satisfies PackRequest);
      return await promise;
    } catch (error) {
      if (error instanceof PackingError) throw error;
      throw new PackingError("could not be handed over", { cause: error });
    } finally {
      clearTimeout(timer);
      this.#pending = undefined;
    }
  }

  /** Ends the Worker. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry);
    worker.on("message", (reply: PackReply) => {
      if (reply.id !== this.#pending?.id) return;
      if ("bytes" in reply) this.#pending.resolve(reply.bytes);
      else this.#pending.reject(new PackingError(`failed with ${reply.error}`));
    });
    // Some runtimes report a throw by `exit` alone; others by `error`, then `exit`.
    worker.on("error", () => this.#give(worker, "ended"));
    worker.on("exit", () => this.#give(worker, "ended"));

    return worker;
  }

  /** What it had is lost, and the next call has another one. */
  #give(worker: Worker, what: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#pending?.reject(new PackingError(what));
    void worker.terminate();
  }
}

/** The bundler names a Worker's file after its path under `src`, beside the main bundle. */
function workerAddress(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : new URL("./prompts_worker.js", import.meta.url);
}
