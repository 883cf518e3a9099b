/**
 * One batch at work: its file is checked, its lines are asked a few at a time, what becomes of
 * them goes to its files, and at the end these are there to be asked for.
 *
 * @module
 */

import type { AuditNote } from "../domain/audit.ts";
import type { Caller } from "../accounts/key_directory.ts";
import {
  type Batch,
  type BatchFault,
  type BatchLine,
  isOpenBatch,
  NO_BATCH_USAGE,
} from "../domain/batch.ts";
import { isDiskFull } from "../files/disk_full.ts";
import { BatchState, type BatchStateOptions, EntryFailed } from "./batch_state.ts";
import { checkInput } from "./check_input.ts";
import { finishBatch, type FinishOptions, INPUT_GONE } from "./finish_batch.ts";
import { inputLines } from "./input_lines.ts";
import {
  answeredLine,
  type CallLine,
  type LineAnswer,
  type LineName,
  unaskedLine,
  usageOf,
} from "./line_calls.ts";
import type { LineSlots } from "./line_slots.ts";
import { type BatchRequest, type LineFault, readRequest } from "./read_request.ts";

/** What all batches work with. */
export interface BatchRunOptions extends BatchStateOptions, FinishOptions {
  readonly callLine: CallLine;
  /** Whose calls lines are now: who is gone for good, or has to wait. */
  readonly callerOf: (batch: Batch) => Caller | "gone" | "waiting";
  /** Whether live calls of a caller would have room beside one more line. */
  readonly hasRoomBeside: (caller: Caller) => boolean;
  /** The id of the logical model that a line's name for it means. */
  readonly modelOf: (name: string) => string;
  readonly slots: LineSlots;
  /** Lines of one batch that are asked at one time. */
  readonly linesAtOnce: number;
  /** Waits; sooner over when the signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Why a batch does nothing now although it could. */
export type BatchWait = "limits" | "balance" | "routes" | "key_disabled" | "disk_full" | "trouble";

/** A line whose routes all fail is asked so often, with pauses between. */
const MOST_TRIES = 6;
const LEAST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 60_000;
const BALANCE_PAUSE_MS = 5_000;
/** Kept free on the disk for what lines bring. */
const DISK_BYTES = 4 * 1024 ** 2;

export class BatchRun {
  readonly #options: BatchRunOptions;
  readonly #state: BatchState;
  readonly #stopping = new AbortController();
  /** Ends calls that are waited for no longer. */
  readonly #cut = new AbortController();
  /** Ends pauses when nothing more is asked: the batch was cancelled, its time is over. */
  #asking = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** What waits, by line. */
  readonly #waits = new Map<number, BatchWait>();
  #fault: BatchFault | undefined;

  constructor(batch: Batch, options: BatchRunOptions) {
    this.#state = new BatchState(batch, options);
    this.#options = options;
  }

  /** As it is now. */
  get batch(): Batch {
    return this.#state.batch;
  }

  /** What most of its lines wait for, where any does. */
  get wait(): BatchWait | undefined {
    return this.#waits.values().next().value;
  }

  /** Works until the batch has ended or is stopped. Never throws. */
  async run(): Promise<void> {
    while (isOpenBatch(this.batch) && !this.#stopping.signal.aborted) {
      try {
        await this.#work();
      } catch (error) {
        const isFull = isDiskFull(error);
        if (!isFull && !this.#cut.signal.aborted) this.#options.onError(error);
        const wait = isFull ? "disk_full" : "trouble";
        await this.#pause(-1, wait, MOST_PAUSE_MS, this.#stopping.signal);
      }
    }
    if (isOpenBatch(this.batch)) return;
    await this.#options.place?.clear(this.batch).catch(this.#options.onError);
  }

  /**
   * Asks for nothing more; what is under way ends. Resolves when that is stored.
   *
   * @param note What the audit log is told.
   * @throws {EntryFailed}
   */
  async cancel(note?: AuditNote): Promise<void> {
    const cancellingAt = this.#options.clock.now();
    await this.#state.change(
      ({ status }) =>
        status === "validating" || status === "in_progress"
          ? { status: "cancelling", cancellingAt }
          : undefined,
      note,
    );
    this.#asking.abort();
  }

  /** Asks for nothing more until the next start. */
  stop(): void {
    this.#stopping.abort();
    this.#asking.abort();
  }

  /** Ends the calls under way as well: the next start makes them again. */
  cut(): void {
    this.stop();
    this.#cut.abort();
  }

  async #work(): Promise<void> {
    if (this.batch.status === "validating") await this.#check();
    if (this.batch.status === "in_progress") await this.#ask();
    if (this.#stopping.signal.aborted) return;
    const { status } = this.batch;
    if (status === "cancelling" || status === "finalizing") {
      await finishBatch(this.#state, this.#fault, {
        ...this.#options,
        signal: this.#cut.signal,
      });
    }
  }

  async #bring(): Promise<void> {
    const { place, hasDiskFor } = this.#options;
    await place?.bring(this.batch, { signal: this.#cut.signal, hasDiskFor });
  }

  async #check(): Promise<void> {
    const { folder, lineBounds, clock } = this.#options;
    const { endpoint, inputFileId } = this.batch;
    let checked;
    try {
      await this.#bring();
      checked = await checkInput({
        path: `${folder}/${inputFileId}`,
        endpoint,
        bounds: lineBounds,
        signal: this.#asking.signal,
      });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      checked = { total: 0, model: undefined, faults: [INPUT_GONE] };
    }
    if (this.batch.status !== "validating" || this.#stopping.signal.aborted) return;
    const { total, model, faults } = checked;
    if (faults.length === 0) {
      const inProgressAt = clock.now();
      return await this.#state.change(({ status }) =>
        status === "validating" ? { status: "in_progress", inProgressAt, total, model } : undefined
      );
    }
    await this.#state.commit((batch) => {
      if (batch.status !== "validating") return undefined;
      const ended = { ...batch, status: "failed", model, faults, endedAt: clock.now() } as const;
      return { kind: "finish_batch", batch: ended, files: [] };
    });
  }

  /** Asks every line of which it is not known what became of it. */
  async #ask(): Promise<void> {
    const { folder, lineBounds, linesAtOnce } = this.#options;
    const { endpoint, inputFileId } = this.batch;
    const done = await this.#state.load();
    this.#asking = new AbortController();
    // It may have been cancelled while that was read.
    if (this.#stopping.signal.aborted || this.batch.status !== "in_progress") return;
    const deadline = this.#deadline();
    try {
      await this.#bring();
      for await (const input of inputLines(`${folder}/${inputFileId}`, lineBounds.mostBytes)) {
        if (done.has(input.line)) continue;
        const request = readRequest(input, { endpoint, bounds: lineBounds });
        while (this.#underWay.size >= linesAtOnce) await Promise.race(this.#underWay);
        if (this.#asking.signal.aborted) break;
        const work: Promise<void> = this.#workOn(request).catch((error) => {
          this.#options.onError(error);
        }).finally(() => this.#underWay.delete(work));
        this.#underWay.add(work);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      this.#fault = INPUT_GONE;
    } finally {
      await Promise.all(this.#underWay);
      clearTimeout(deadline);
    }
    await this.#state.settled();
    if (this.#stopping.signal.aborted) return;
    const { total, counts: { completed, failed } } = this.batch;
    if (!this.#asking.signal.aborted && this.#fault === undefined && completed + failed < total) {
      throw new Error(`Cannot end ${this.batch.id} as what became of some lines is not stored`);
    }
    const finalizingAt = this.#options.clock.now();
    await this.#state.change(({ status }) =>
      status === "in_progress" ? { status: "finalizing", finalizingAt } : undefined
    );
  }

  /** It was checked: what is wrong now is of a file that was changed beside the gateway. */
  #workOn(request: BatchRequest | LineFault): Promise<void> {
    if (!("fault" in request)) return this.#askLine(request);
    const { fault: { line, code, message } } = request;
    const name = { batchId: this.batch.id, line: line!, customId: "" };
    return this.#put(unaskedLine(name, { code, message }));
  }

  /** Asks for nothing more when the time of the batch is over. */
  #deadline(): ReturnType<typeof setTimeout> | undefined {
    const left = this.batch.expiresAt - this.#options.clock.now();
    if (left <= 0) this.#asking.abort();
    // Timers hold no more; a start sets it anew.
    return setTimeout(() => this.#asking.abort(), Math.max(0, Math.min(left, 2 ** 31 - 1)));
  }

  async #askLine({ line, customId, body }: BatchRequest): Promise<void> {
    const { slots, callLine, modelOf } = this.#options;
    const { signal } = this.#asking;
    const name: LineName = { batchId: this.batch.id, line, customId };
    const text = JSON.stringify(body);
    const owner = {
      projectId: this.batch.projectId,
      model: modelOf(typeof body.model === "string" ? body.model : ""),
    };
    for (let tries = 1; !signal.aborted;) {
      const caller = await this.#callerWithRoom(line, signal);
      if (caller === undefined) return;
      await slots.take(owner);
      let stored: BatchLine | undefined;
      let answer: LineAnswer;
      try {
        if (signal.aborted) return;
        answer = await callLine({
          caller,
          name: `${name.batchId} ${line}`,
          batchId: name.batchId,
          url: this.batch.endpoint,
          body: text,
          signal: this.#cut.signal,
          make: (answered, { requestId, closed }) =>
            stored = answeredLine(name, {
              status: 200,
              requestId,
              text: answered,
              usage: usageOf(closed),
            }),
        });
      } finally {
        slots.give(owner);
      }
      if (this.#cut.signal.aborted && stored === undefined) return;
      const { status } = answer;
      if (status === 200) {
        if (stored !== undefined) return this.#state.count(stored);
        const usage = answer.usage ?? NO_BATCH_USAGE;
        return await this.#put(answeredLine(name, { ...answer, usage }));
      }
      const pause = pauseOf(answer, tries);
      if (pause === undefined) {
        const usage = answer.usage ?? NO_BATCH_USAGE;
        return await this.#put(answeredLine(name, { ...answer, usage }));
      }
      // Who waits for a turn or for money has not failed.
      if (pause.wait === "routes") tries++;
      await this.#pause(line, pause.wait, pause.ms, signal);
    }
  }

  /** Waits until its key may be used and live calls have room beside it. */
  async #callerWithRoom(line: number, signal: AbortSignal): Promise<Caller | undefined> {
    const { callerOf, hasRoomBeside, hasDiskFor } = this.#options;
    while (!signal.aborted) {
      const caller = callerOf(this.batch);
      if (caller === "gone") {
        this.#fault ??= KEY_GONE;
        await this.cancel();
        return undefined;
      }
      if (caller === "waiting") {
        await this.#pause(line, "key_disabled", BALANCE_PAUSE_MS, signal);
      } else if (!hasDiskFor(DISK_BYTES)) {
        await this.#pause(line, "disk_full", BALANCE_PAUSE_MS, signal);
      } else if (!hasRoomBeside(caller)) {
        await this.#pause(line, "limits", LEAST_PAUSE_MS, signal);
      } else return caller;
    }
    return undefined;
  }

  async #pause(line: number, wait: BatchWait, ms: number, signal: AbortSignal): Promise<void> {
    this.#waits.set(line, wait);
    await this.#options.delay(ms, signal);
    this.#waits.delete(line);
  }

  /** Stores what became of a line that came to no settled call. */
  async #put(line: BatchLine): Promise<void> {
    for (;;) {
      const result = await this.#options.commits.commit({ kind: "put_batch_line", line });
      if (result.ok) return this.#state.count(line);
      if (result.reason !== "full" && result.reason !== "unavailable") {
        throw new EntryFailed(result);
      }
      if (this.#stopping.signal.aborted) return;
      await this.#pause(line.line, "disk_full", BALANCE_PAUSE_MS, this.#stopping.signal);
    }
  }
}

/** How long a line waits before it is asked again; `undefined` where it has failed. */
function pauseOf(
  { status, code, retryAfterSeconds }: LineAnswer,
  tries: number,
): { readonly wait: BatchWait; readonly ms: number } | undefined {
  const told = (retryAfterSeconds ?? 1) * 1_000;
  const ms = Math.min(Math.max(told, LEAST_PAUSE_MS), MOST_PAUSE_MS);
  if (status === 429 || code === "shutting_down") return { wait: "limits", ms };
  if (status === 402) return { wait: "balance", ms: BALANCE_PAUSE_MS };
  if (code === "storage_full") return { wait: "disk_full", ms: BALANCE_PAUSE_MS };
  if (status !== 503 || tries >= MOST_TRIES) return undefined;
  return { wait: "routes", ms: Math.min(ms * 2 ** (tries - 1), MOST_PAUSE_MS) };
}

const KEY_GONE: BatchFault = {
  code: "key_gone",
  message: "The key that made this batch was deleted or has expired: make another one with a key",
  param: null,
  line: null,
};
