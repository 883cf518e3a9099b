/**
 * A batch as it changes: what becomes of its lines is counted, goes to its files from time to
 * time, and every change is stored after the one before.
 *
 * @module
 */

import type { AuditNote } from "../domain/audit.ts";
import { type Batch, type BatchCounts, type BatchLine, isOpenBatch } from "../domain/batch.ts";
import { diskFull, isDiskFull } from "../files/disk_full.ts";
import type { WaitingLines } from "../storage/ports/batch_pages.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Entry, EntryResult } from "../storage/ports/entry.ts";
import type { SharedBatches } from "../storage/ports/shared_batches.ts";
import type { BatchStore } from "../storage/ports/storage.ts";
import { appendLines, type WrittenBytes } from "./batch_files.ts";

/** What it works with. */
export interface BatchStateOptions {
  readonly batches: BatchStore;
  readonly commits: CommitQueue;
  /** Where uploaded files lie, and those that batches write. */
  readonly folder: string;
  /**
   * Where others use the database too: what becomes of lines stays there until their batch ends, so that
   * another process can go on with it. Default: nobody does.
   */
  readonly shared?: SharedBatches | undefined;
  readonly onError: (error: unknown) => void;
}

/** Lines whose texts wait for their files at most, before they go there. */
export const WRITE_LINES = 200;
const WRITE_CHARACTERS = 4 * 1024 ** 2;
/** What so many characters take on the disk at most. */
const WRITE_BYTES = 3 * WRITE_CHARACTERS;

export class BatchState {
  readonly #options: BatchStateOptions;
  #batch: Batch;
  #counts: BatchCounts;
  /** Characters since lines went to their files; a short line counts for some of them too. */
  #unwritten = 0;
  #writing: Promise<void> | undefined;
  /** Changes are stored one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(batch: Batch, options: BatchStateOptions) {
    this.#batch = batch;
    this.#counts = batch.counts;
    this.#options = options;
  }

  /** As it is now. */
  get batch(): Batch {
    return { ...this.#batch, counts: this.#counts };
  }

  /** Reads again what became of its lines, and which these are. */
  async load(): Promise<ReadonlySet<number>> {
    const { batches } = this.#options;
    const done = new Set(await batches.doneLines(this.#batch.id));
    this.#counts = await batches.counts(this.#batch.id);
    return done;
  }

  /** Counts what became of a line, once it is stored. */
  count({ isFailed, usage, text }: BatchLine): void {
    const { completed, failed, usage: before } = this.#counts;
    this.#counts = {
      completed: completed + (isFailed ? 0 : 1),
      failed: failed + (isFailed ? 1 : 0),
      usage: {
        inputTokens: before.inputTokens + usage.inputTokens,
        cachedTokens: before.cachedTokens + usage.cachedTokens,
        outputTokens: before.outputTokens + usage.outputTokens,
        reasoningTokens: before.reasoningTokens + usage.reasoningTokens,
      },
    };
    if (this.#options.shared !== undefined) return;
    this.#unwritten += Math.max(text.length, WRITE_CHARACTERS / WRITE_LINES);
    if (this.#unwritten < WRITE_CHARACTERS || this.#writing !== undefined) return;
    this.#writing = this.#moveToFiles().catch((error) => {
      // What could not be written is written at the end, or after the next lines.
      if (!isDiskFull(error)) this.#options.onError(error);
    }).finally(() => this.#writing = undefined);
  }

  /**
   * Writes the rest of what became of lines to their files, once nothing more is asked.
   *
   * @returns Bytes of the files then.
   */
  async write(hasDiskFor: (bytes: number) => boolean): Promise<WrittenBytes> {
    if (this.#options.shared !== undefined) return await this.#copyToFiles(hasDiskFor);
    await this.#moveToFiles();
    return this.#batch;
  }

  /**
   * Whether it has ended as the database has it: its end may have been written though nobody answered, or
   * by another process.
   */
  async hasEnded(): Promise<boolean> {
    const { shared, batches } = this.#options;
    const stored = shared && await batches.find(this.#batch.id);
    if (stored === undefined || isOpenBatch(stored)) return false;
    this.#batch = stored;
    this.#counts = stored.counts;
    return true;
  }

  /** They stay in the database, too, for whoever has to begin again with that. */
  async #copyToFiles(hasDiskFor: (bytes: number) => boolean): Promise<WrittenBytes> {
    const { batches, folder } = this.#options;
    let written: WrittenBytes = this.#batch;
    for (let after = 0;;) {
      const lines = await batches.waitingLines(this.#waiting(after));
      if (lines.length === 0) return written;
      if (!hasDiskFor(WRITE_BYTES)) throw diskFull(`write the answers of ${this.#batch.id}`);
      written = await appendLines(folder, { ...this.#batch, ...written }, lines);
      after = lines.at(-1)!.line;
    }
  }

  #waiting(after: number): WaitingLines {
    return {
      batchId: this.#batch.id,
      after,
      limit: WRITE_LINES,
      mostCharacters: WRITE_CHARACTERS,
    };
  }

  async #moveToFiles(): Promise<void> {
    const { batches, folder } = this.#options;
    for (;;) {
      const lines = await batches.waitingLines(this.#waiting(0));
      if (lines.length === 0) return;
      this.#unwritten = 0;
      const written = await appendLines(folder, this.#batch, lines);
      const places = lines.map(({ line }) => line);
      await this.commit((batch) => ({
        kind: "write_batch_lines",
        batch: { ...batch, ...written },
        lines: places,
      }));
    }
  }

  /** Resolves when no lines are on their way to their files. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Stores a change of the batch alone; `undefined` for none, as it is when its turn comes. */
  change(
    toChange: (batch: Batch) => Partial<Batch> | undefined,
    note?: AuditNote,
  ): Promise<void> {
    return this.commit((batch) => {
      const change = toChange(batch);
      return change && { kind: "change_batch", batch: { ...batch, ...change } };
    }, note);
  }

  /**
   * Stores a change of the batch as it is when its turn comes.
   *
   * @param note What the audit log is told of a change by an operator.
   * @throws {EntryFailed}
   */
  commit(toEntry: (batch: Batch) => BatchEntry | undefined, note?: AuditNote): Promise<void> {
    const stored = this.#turn.then(async () => {
      const entry = toEntry(this.batch);
      if (entry === undefined) return;
      const isNoted = note !== undefined && entry.kind === "change_batch";
      const result = await this.#options.commits.commit(
        isNoted ? { kind: "audited", changes: [entry], note } : entry,
      );
      if (!result.ok) {
        if (result.reason === "missing" && await this.hasEnded()) return;
        throw new EntryFailed(result);
      }
      this.#batch = entry.batch;
      if (entry.kind === "finish_batch") this.#counts = entry.batch.counts;
    });
    this.#turn = stored.catch(() => {}); // whoever asked for it is told
    return stored;
  }
}

/** Changes of a batch. */
type BatchEntry = Extract<
  Entry,
  { readonly kind: "change_batch" | "write_batch_lines" | "finish_batch" }
>;

/** A change of a batch could not be stored. */
export class EntryFailed extends Error {
  override readonly name = "EntryFailed";
  /** As the system has it, where nothing can be stored for now. */
  readonly code: string;

  constructor(result: Exclude<EntryResult, { readonly ok: true }>) {
    super(`Cannot store a change of a batch: ${result.message}`);
    this.code = result.reason === "full" || result.reason === "unavailable" ? "ENOSPC" : "";
  }
}
