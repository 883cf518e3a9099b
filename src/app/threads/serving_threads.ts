/**
 * The threads that serve, as the main thread has them: starts them, answers what they ask, tells
 * them what changes, releases the calls of one that ends by itself and starts another in its place.
 *
 * @module
 */

import { Worker } from "node:worker_threads";
import type { KeyDirectory } from "../../accounts/key_directory.ts";
import type { Ledger } from "../../accounts/ledger.ts";
import type { SpendBook } from "../../accounts/spend_book.ts";
import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import type { Clock } from "../../domain/clock.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { FailedAttempt } from "../../gateway/attempt_loop.ts";
import type { SealedRoutes } from "../../gateway/sealed_routes.ts";
import type { RequestRecord } from "../../http/context/api_deps.ts";
import type { Limiter } from "../../limits/limiter.ts";
import type { RouteCapacity } from "../../limits/route_capacity.ts";
import type { CallRecord } from "../../metering/call_record.ts";
import type { KeyRefusal } from "../../providers/contract/provider.ts";
import type { FollowedChanges } from "../changes/followed_changes.ts";
import type { AttemptSample } from "../../routing/attempt_window.ts";
import type { Health } from "../../routing/health.ts";
import type { Log } from "../../telemetry/log.ts";
import { makeBuffers, SharedMemory, type ThreadLoad } from "./shared_memory.ts";
import { SharedSlots } from "./shared_slots.ts";
import { ThreadCalls } from "./thread_calls.ts";
import type {
  AttemptNote,
  FromThread,
  SealNote,
  ThreadStart,
  ToThread,
} from "./thread_protocol.ts";

/** What they work with. */
export interface ServingThreadsOptions {
  /** How many. */
  readonly count: number;
  readonly start: Omit<
    ThreadStart,
    "index" | "buffers" | "timeOrigin" | "catalogue" | "seals"
  >;
  readonly ledger: Ledger;
  readonly spending: Pick<SpendBook, "admit">;
  readonly directory: KeyDirectory;
  readonly catalogue: CatalogueHolder;
  readonly health: Health;
  readonly limiter: Limiter;
  readonly capacity: RouteCapacity;
  readonly seals: SealedRoutes;
  /** Absent where nobody else changes keys, prices and limits. */
  readonly followed?: Pick<FollowedChanges, "onCurrent"> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCall: (record: CallRecord) => void;
  readonly onAttemptFailed: (attempt: FailedAttempt) => void;
  readonly onKeyRefused: (refusal: KeyRefusal) => void;
  readonly onRequest: (record: RequestRecord) => void;
  /** What a thread runs; absent: what serves. */
  readonly entry?: URL;
  /** A thread that has not said anything for so long is ended. Default: a minute. */
  readonly endedAfterMs?: number;
}

/** Looks at the ledger's state, and at whether each thread lives. */
const LOOK_MS = 100;
/** A thread that has not said anything for so long hangs. */
const SILENCE_MS = 10_000;
/** As long as the service's watchdog waits for a sign of life. */
const ENDED_AFTER_MS = 60_000;
/** A machine that slept, or a process that was stopped, has silenced nobody for longer than this. */
const MOST_STEP_MS = 1_000;
/** What a thread may take to end its calls, once their connections are cut. */
const CUT_MS = 5_000;
/** Before another takes the place of one that has ended by itself. */
const RESTART_MS = 500;

interface Thread {
  readonly worker: Worker;
  readonly calls: ThreadCalls;
  readonly listening: PromiseWithResolvers<void>;
  isListening: boolean;
  readonly idle: PromiseWithResolvers<void>;
  readonly closed: PromiseWithResolvers<void>;
}

export class ServingThreads {
  readonly #options: ServingThreadsOptions;
  readonly #shared: SharedMemory;
  /** By their numbers; `undefined` while there is none. */
  readonly #threads: (Thread | undefined)[] = [];
  readonly #slots: SharedSlots;
  /** How many beats each thread had last, and for how long it has had no more. */
  readonly #beats: { count: number; silentMs: number }[];
  #lookedAt: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #isStopping = false;

  private constructor(options: ServingThreadsOptions) {
    this.#options = options;
    this.#shared = new SharedMemory(makeBuffers(options.count));
    this.#slots = new SharedSlots(this.#shared, options);
    this.#lookedAt = options.clock.monotonic();
    this.#beats = Array.from({ length: options.count }, () => ({ count: 0, silentMs: 0 }));
    options.followed?.onCurrent(({ monotonic, wall }, staleMs) => {
      this.#shared.setCurrentUntil({ monotonic: monotonic + staleMs, wall: wall + staleMs });
    });
    options.directory.subscribe(() => this.#shared.callersChanged());
    options.catalogue.subscribe(({ catalogue }) => {
      this.#shared.catalogueChanged();
      this.#tellAll({ kind: "catalogue", shared: this.#slots.catalogue(catalogue) });
    });
    options.health.mayProbe = (routeId) =>
      this.#shared.takeProbe(routeId, options.clock.monotonic());
    options.health.onSample = (routeId, sample, isNews) => {
      if (isNews) this.#tellSample(routeId, sample);
    };
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /**
   * Starts them; resolves when all listen.
   *
   * @throws {Error} When one cannot.
   */
  static async start(options: ServingThreadsOptions): Promise<ServingThreads> {
    const threads = new ServingThreads(options);
    try {
      await Promise.all(
        Array.from({ length: options.count }, (_, index) => threads.#begin(index)),
      );
      return threads;
    } catch (error) {
      await threads.close();
      throw error;
    }
  }

  /** Whether they serve calls with a key. */
  serves(key: string): boolean {
    return this.#slots.find(key) !== undefined;
  }

  /** What is under way in each of them. */
  get loads(): readonly ThreadLoad[] {
    return this.#beats.map((_, index) => this.#shared.thread(index).load);
  }

  /** How much of it is under way in all of them. */
  sum(name: keyof ThreadLoad): number {
    return this.loads.reduce((sum, load) => sum + load[name], 0);
  }

  /** For whoever looks after the gateway. */
  warnings(): readonly string[] {
    return this.#beats.flatMap(({ silentMs }, index) => {
      if (this.#threads[index] === undefined) {
        return [`serving thread ${index + 1} has ended and is started again`];
      }
      return silentMs > SILENCE_MS ? [`serving thread ${index + 1} does not answer`] : [];
    });
  }

  /** Has them read secrets again, and forget what routes were blamed for. */
  reload(): void {
    this.#tellAll({ kind: "reload" });
  }

  /** Refuses new calls in them; resolves when those under way have ended. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    this.#tellAll({ kind: "drain" });
    await Promise.all(this.#running().map(({ idle }) => idle.promise));
  }

  /** Ends every open stream with an error frame. */
  stopStreams(): void {
    this.#tellAll({ kind: "stop_streams" });
  }

  /** Stops listening; resolves when all answers are sent. */
  async closeListeners(): Promise<void> {
    this.#tellAll({ kind: "close_listener" });
    await Promise.all(this.#running().map(({ closed }) => closed.promise));
  }

  /** Closes every connection at once, with which its calls end; a thread that hangs is ended. */
  cut(): void {
    this.#tellAll({ kind: "cut" });
    for (const { worker, idle } of this.#running()) {
      const timer = setTimeout(() => void worker.terminate(), CUT_MS);
      void idle.promise.then(() => clearTimeout(timer));
    }
  }

  /** Ends them. */
  async close(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await Promise.all(this.#running().map(({ worker }) => worker.terminate()));
  }

  /** Tells all threads which route a conversation's sealed thoughts are from. */
  tellSeal(seal: SealNote): void {
    this.#tellAll({ kind: "seal", seal });
  }

  async #begin(index: number): Promise<void> {
    const { start, catalogue, ledger, seals, onCall } = this.#options;
    const memory = this.#shared.thread(index);
    memory.clear();
    const workerData: ThreadStart = {
      ...start,
      index,
      buffers: this.#shared.buffers,
      // By the clock as it is set now: it may have jumped since this thread began.
      timeOrigin: Date.now() - performance.now(),
      catalogue: this.#slots.catalogue(catalogue.current.catalogue),
      seals: seals.all(),
    };
    const worker = new Worker(this.#options.entry ?? workerAddress(), { workerData });
    const send = (message: ToThread) => worker.postMessage(message);
    const thread: Thread = {
      worker,
      calls: new ThreadCalls({
        ledger,
        memory,
        slotOf: (projectId) => this.#slots.projects.get(projectId)!,
        onCall,
        onSample: (routeId, sample) => this.#hear(index, routeId, sample),
        send: (text) => send({ kind: "settled", text }),
      }),
      listening: Promise.withResolvers(),
      isListening: false,
      idle: Promise.withResolvers(),
      closed: Promise.withResolvers(),
    };
    this.#threads[index] = thread;
    this.#beats[index] = { count: 0, silentMs: 0 };
    let cause: unknown;
    worker.on("message", (message: FromThread) => this.#receive(index, thread, message));
    // Some runtimes report a throw by `exit` alone; others by `error`, then `exit`.
    worker.on("error", (error: unknown) => cause = error);
    worker.on("exit", (code: number) => void this.#exited(index, thread, cause ?? `code ${code}`));
    await thread.listening.promise;
  }

  #receive(index: number, thread: Thread, message: FromThread): void {
    const { log, seals, onKeyRefused, onRequest } = this.#options;
    switch (message.kind) {
      case "calls":
        thread.calls.take(message.text);
        break;
      case "learn":
        thread.worker.postMessage(
          {
            kind: "learnt",
            ask: message.ask,
            version: this.#shared.callersVersion,
            found: this.#slots.find(message.key),
          } satisfies ToThread,
        );
        break;
      case "seal": {
        const { projectId, seal, route } = message.seal;
        seals.note(projectId, seal, route);
        this.#tellAll({ kind: "seal", seal: message.seal }, index);
        break;
      }
      case "attempt_failed":
        this.#attemptFailed(message.attempt);
        break;
      case "key_refused":
        onKeyRefused(message.refusal);
        break;
      case "request":
        onRequest({ ...message.record, cause: message.record.cause });
        break;
      case "log":
        log.error(message.event, message.fields);
        break;
      case "listening":
        thread.isListening = true;
        thread.listening.resolve();
        break;
      case "idle":
        thread.idle.resolve();
        break;
      case "closed":
        thread.closed.resolve();
    }
  }

  /** What went well is each thread's own to know; what went wrong is everybody's. */
  #hear(from: number, routeId: string, sample: AttemptSample): void {
    const { health } = this.#options;
    if (isNews(health, routeId, sample)) this.#tellSample(routeId, sample, from);
    health.hear(routeId, sample);
  }

  #tellSample(routeId: string, sample: AttemptSample, except?: number): void {
    this.#tellAll({ kind: "sample", routeId, sample }, except);
  }

  #attemptFailed({ routeId, failure, message, cause, key, ...note }: AttemptNote): void {
    const route = this.#options.catalogue.current.route(routeId);
    if (route === undefined) return; // it was taken out of the catalogue in the meantime
    const error = new UpstreamError(failure, message, {
      status: note.status,
      fault: note.fault,
      cause,
    });
    error.key = key;
    const { requestId, capability } = note;
    this.#options.onAttemptFailed({ requestId, route, capability, error, message });
  }

  async #exited(index: number, thread: Thread, cause: unknown): Promise<void> {
    const error = new Error(`Serving thread ${index + 1} ended: ${wordsOf(cause)}`, { cause });
    thread.listening.reject(error);
    this.#threads[index] = undefined;
    this.#shared.thread(index).clear();
    this.#slots.leaveAllOf(index);
    const released = await thread.calls.abandon(this.#slots.projects);
    thread.idle.resolve();
    thread.closed.resolve();
    if (this.#isStopping) return;
    this.#options.log.error("serving_thread_ended", {
      thread: index + 1,
      message: wordsOf(cause),
      released,
    });
    await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
    if (this.#isStopping) return;
    await this.#begin(index).then(
      () => this.#options.log.info("serving_thread_started", { thread: index + 1 }),
      () => {}, // it has ended again, which starts it again
    );
  }

  #look(): void {
    const { ledger, clock, log, endedAfterMs = ENDED_AFTER_MS } = this.#options;
    this.#shared.isTroubled = ledger.troubled;
    const now = clock.monotonic();
    const step = Math.min(now - this.#lookedAt, MOST_STEP_MS);
    this.#lookedAt = now;
    for (const [index, beat] of this.#beats.entries()) {
      const count = this.#shared.thread(index).beats;
      const thread = this.#threads[index];
      const isSilent = count === beat.count && thread?.isListening === true;
      beat.silentMs = isSilent ? beat.silentMs + step : 0;
      beat.count = count;
      if (beat.silentMs <= endedAfterMs) continue;
      log.error("serving_thread_hangs", {
        thread: index + 1,
        silent_ms: Math.round(beat.silentMs),
      });
      void thread?.worker.terminate();
    }
  }

  #running(): readonly Thread[] {
    return this.#threads.filter((thread) => thread !== undefined);
  }

  #tellAll(message: ToThread, except?: number): void {
    for (const [index, thread] of this.#threads.entries()) {
      if (index !== except) thread?.worker.postMessage(message);
    }
  }
}

/** Whether other threads have to hear of an attempt: it failed, or its route's have of late. */
function isNews(health: Health, routeId: string, { outcome }: AttemptSample): boolean {
  return outcome !== "success" || health.isTroubled(routeId);
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function workerAddress(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("./worker.ts", import.meta.url)
    : new URL("./app_threads_worker.js", import.meta.url);
}
