/**
 * What callers and operators do with batches: make, find, list, cancel. Those that have not ended
 * are worked on, after a start too.
 *
 * @module
 */

import { type Batch, BATCH_ID, isOpenBatch, NO_BATCH_USAGE } from "../domain/batch.ts";
import type { Caller } from "../accounts/key_directory.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { Clock } from "../domain/clock.ts";
import type { IdempotencyRecord } from "../domain/idempotency.ts";
import { randomName } from "../domain/ids.ts";
import { GatewayError } from "../errors.ts";
import type { BatchPage } from "../storage/ports/batch_pages.ts";
import { BatchRun, type BatchRunOptions, type BatchWait } from "./batch_run.ts";
import { type BatchStateOptions, EntryFailed } from "./batch_state.ts";
import { adoptLeft, type BatchPlace, counted } from "./batch_sharing.ts";
import { LineSlots } from "./line_slots.ts";

/** What a caller asks for. */
export interface CreateBatchRequest {
  readonly caller: Caller;
  readonly endpoint: string;
  readonly inputFileId: string;
  /** As it was written, and what it says. */
  readonly completionWindow: string;
  readonly windowMs: number;
  readonly metadata: Batch["metadata"];
  readonly outputSeconds: number | undefined;
  /** Makes what a repeated request gets. */
  readonly remember: ((batch: Batch) => IdempotencyRecord) | undefined;
}

/** A batch as it is now. */
export interface ShownBatch {
  readonly batch: Batch;
  /** Why it does nothing although it could. */
  readonly wait: BatchWait | undefined;
}

/** A page of batches, newest first. */
export interface ShownPage {
  readonly batches: readonly ShownBatch[];
  readonly hasMore: boolean;
}

/** What a project may have open at one time. */
const MOST_OPEN = 100;
const RETRY_SECONDS = 60;

/** What it works with before anything is asked. */
export interface BatchesOptions extends BatchStateOptions {
  /** How files come here and go elsewhere, where they may be elsewhere. */
  readonly place?: BatchPlace | undefined;
  readonly clock: Pick<Clock, "now">;
}

/** What lines are asked with. */
export type BatchWork = Omit<BatchRunOptions, keyof BatchesOptions>;

export class Batches {
  readonly #options: BatchesOptions;
  #work: BatchWork | undefined;
  readonly #runs = new Map<string, { readonly run: BatchRun; readonly over: Promise<void> }>();
  /** Batches that are being written down, by project: they take places too. */
  readonly #beingMade = new Map<string, number>();
  #isStopping = false;

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  /** Begins to work: on what an earlier process left first. */
  async start(work: BatchWork): Promise<void> {
    this.#work = work;
    if (this.#options.shared !== undefined) return await this.goOn();
    for (const batch of await this.#options.batches.open()) this.#begin(batch);
  }

  /** Where others use the database too: goes on with what they have left. It may be asked for at any time. */
  async goOn(): Promise<void> {
    const { shared, place } = this.#options;
    if (shared === undefined || place === undefined) return;
    if (this.#work === undefined || this.#isStopping) return;
    await adoptLeft(shared, place);
    for (const id of await shared.own()) {
      if (this.#runs.has(id)) continue;
      // It may have ended since those were read.
      const batch = await this.#options.batches.find(id);
      if (batch !== undefined && isOpenBatch(batch)) this.#begin(batch);
    }
  }

  /** Ends what others have cancelled. It may be asked for at any time. */
  async hearCancels(): Promise<void> {
    const { shared } = this.#options;
    if (shared === undefined || this.#runs.size === 0) return;
    for (const id of await shared.cancelled()) await this.#runs.get(id)?.run.cancel();
  }

  /** Asks for nothing more and waits for the lines under way, but no longer than this. */
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    const runs = [...this.#runs.values()];
    for (const { run } of runs) run.stop();
    const over = Promise.all(runs.map((one) => one.over));
    const waiting = new AbortController();
    await Promise.race([over, this.#work?.delay(deadlineMs, waiting.signal)]);
    waiting.abort();
    for (const { run } of runs) run.cut();
    await over;
  }

  /** Batches that are worked on. */
  get open(): number {
    return this.#runs.size;
  }

  /**
   * Makes a batch, to be worked on at once.
   *
   * @throws {GatewayError} `pool_limit_exceeded` or `storage_full`; nothing is made then.
   */
  async create(request: CreateBatchRequest): Promise<ShownBatch> {
    const { caller: { project, key }, windowMs, remember, ...asked } = request;
    const { shared } = this.#options;
    // Alone nothing is waited for: two at once are counted one after the other.
    const stored = shared && await shared.openCount(project.id);
    this.#requireRoom(project.id, stored);
    const createdAt = this.#options.clock.now();
    const batch: Batch = {
      id: `batch_${randomName(26)}`,
      projectId: project.id,
      keyId: key.id,
      endpoint: asked.endpoint,
      inputFileId: asked.inputFileId,
      completionWindow: asked.completionWindow,
      metadata: asked.metadata,
      outputSeconds: asked.outputSeconds,
      outputFileId: `file-${randomName(26)}`,
      errorFileId: `file-${randomName(26)}`,
      createdAt,
      expiresAt: createdAt + windowMs,
      status: "validating",
      model: undefined,
      total: 0,
      counts: { completed: 0, failed: 0, usage: NO_BATCH_USAGE },
      outputBytes: 0,
      errorBytes: 0,
      faults: [],
      inProgressAt: undefined,
      cancellingAt: undefined,
      finalizingAt: undefined,
      endedAt: undefined,
    };
    const idempotency = remember?.(batch);
    this.#countMade(project.id, 1);
    try {
      const result = await this.#options.commits.commit({
        kind: "create_batch",
        batch,
        idempotency,
      });
      // It may have been written though nobody answered: then it is made, and nobody asks for it twice.
      const isMade = result.ok || (shared && await this.#options.batches.find(batch.id));
      if (!isMade) throw storageFull();
      this.#begin(batch);
    } finally {
      this.#countMade(project.id, -1);
    }
    return { batch, wait: undefined };
  }

  /** A batch as it is now; `undefined` when there is none. */
  async find(batchId: string): Promise<ShownBatch | undefined> {
    const run = this.#runs.get(batchId)?.run;
    if (run !== undefined) return shownRun(run);
    const batch = BATCH_ID.test(batchId) ? await this.#options.batches.find(batchId) : undefined;
    return batch && { batch: (await this.#counted([batch]))[0]!, wait: undefined };
  }

  /** With what has become of the lines so far of those that somebody else works on. */
  async #counted(batches: readonly Batch[]): Promise<readonly Batch[]> {
    const { shared } = this.#options;
    return shared === undefined ? batches : await counted(batches, shared);
  }

  /** A project's own batch. */
  async findOwn(projectId: string, batchId: string): Promise<ShownBatch | undefined> {
    const found = await this.find(batchId);
    return found?.batch.projectId === projectId ? found : undefined;
  }

  /** A page of batches; `undefined` when there is none to go on from. */
  async page(query: BatchPage): Promise<ShownPage | undefined> {
    const { projectId, after, limit } = query;
    if (after !== undefined) {
      const last = await this.find(after);
      const isThere = projectId === undefined || last?.batch.projectId === projectId;
      if (last === undefined || !isThere) return undefined;
    }
    const found = await this.#options.batches.list({ ...query, limit: limit + 1 });
    const here = found.slice(0, limit);
    const runs = new Map(here.map(({ id }) => [id, this.#runs.get(id)?.run]));
    const others = await this.#counted(here.filter(({ id }) => runs.get(id) === undefined));
    const known = new Map(others.map((batch) => [batch.id, batch]));
    const batches = here.map(({ id }): ShownBatch => {
      const run = runs.get(id);
      return run === undefined ? { batch: known.get(id)!, wait: undefined } : shownRun(run);
    });
    return { batches, hasMore: found.length > limit };
  }

  /**
   * Has a batch ask for nothing more. One that is being cancelled stays as it is.
   *
   * @param options.toRecord What a repeated request gets.
   * @param options.note What the audit log is told.
   * @returns `undefined` when it has ended already, or there is none.
   * @throws {GatewayError} `storage_full`; it goes on then.
   */
  async cancel(
    batchId: string,
    { toRecord, note }: {
      readonly toRecord?: ((batch: ShownBatch) => IdempotencyRecord | undefined) | undefined;
      readonly note?: AuditNote;
    } = {},
  ): Promise<ShownBatch | undefined> {
    const run = this.#runs.get(batchId)?.run;
    const cancelled = run === undefined && this.#options.shared !== undefined
      ? await this.#cancelElsewhere(batchId, note)
      : await this.#cancelRun(run ?? await this.#idle(batchId), note);
    if (cancelled === undefined) return undefined;
    const record = toRecord?.(cancelled);
    if (record?.body !== undefined) {
      const { ok } = await this.#options.commits.commit({ kind: "store_answer", record });
      if (!ok) throw storageFull();
    }
    return cancelled;
  }

  async #cancelRun(
    run: BatchRun | undefined,
    note: AuditNote | undefined,
  ): Promise<ShownBatch | undefined> {
    if (run === undefined || !isOpenBatch(run.batch)) return undefined;
    try {
      await run.cancel(note);
    } catch (error) {
      if (error instanceof EntryFailed) throw storageFull();
      throw error;
    }
    return shownRun(run);
  }

  /** Whoever works on it hears of it; whoever goes on with it finds it so. */
  async #cancelElsewhere(
    batchId: string,
    note: AuditNote | undefined,
  ): Promise<ShownBatch | undefined> {
    const { commits, clock } = this.#options;
    if (!BATCH_ID.test(batchId)) return undefined;
    const entry = { kind: "cancel_batch", batchId, at: clock.now() } as const;
    const result = await commits.commit(
      note === undefined ? entry : { kind: "audited", changes: [entry], note },
    );
    if (!result.ok && result.reason === "missing") return undefined;
    if (!result.ok) throw storageFull();
    return await this.find(batchId);
  }

  /** A batch that nobody works on, as no server runs: the next one ends it. */
  async #idle(batchId: string): Promise<BatchRun | undefined> {
    const batch = this.#work === undefined ? (await this.find(batchId))?.batch : undefined;
    return batch && new BatchRun(batch, { ...this.#options, ...NOTHING_ASKED });
  }

  #begin(batch: Batch): void {
    if (this.#isStopping || this.#work === undefined || this.#runs.has(batch.id)) return;
    const run = new BatchRun(batch, { ...this.#options, ...this.#work });
    const over = run.run().finally(() => {
      if (!isOpenBatch(run.batch)) this.#runs.delete(batch.id);
    });
    this.#runs.set(batch.id, { run, over });
  }

  #countMade(projectId: string, by: 1 | -1): void {
    const count = (this.#beingMade.get(projectId) ?? 0) + by;
    if (count === 0) this.#beingMade.delete(projectId);
    else this.#beingMade.set(projectId, count);
  }

  /** @param stored Open ones of all processes, where others use the database too. */
  #requireRoom(projectId: string, stored = 0): void {
    let own = 0;
    for (const { run } of this.#runs.values()) if (run.batch.projectId === projectId) own++;
    const open = Math.max(own, stored) + (this.#beingMade.get(projectId) ?? 0);
    if (open < MOST_OPEN) return;
    throw new GatewayError(
      "pool_limit_exceeded",
      `This project has ${MOST_OPEN} batches that have not ended: wait for some of them, or cancel some`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

/** For changes of a batch that is not worked on. */
const NOTHING_ASKED: BatchWork = {
  callLine: () => Promise.reject(new TypeError("Cannot ask for a line without a server")),
  callerOf: () => "waiting",
  hasRoomBeside: () => false,
  modelOf: (name) => name,
  hasDiskFor: () => false,
  slots: new LineSlots(0),
  linesAtOnce: 0,
  lineBounds: { mostBytes: 0, checkShape: () => {} },
  delay: () => Promise.resolve(),
  onFiles: () => {},
};

function shownRun(run: BatchRun): ShownBatch {
  return { batch: run.batch, wait: run.wait };
}

function storageFull(): GatewayError {
  return new GatewayError("storage_full", "Nothing can be stored now: try again later", {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
