/**
 * The owner of all video tasks in this process: every change of a task goes
 * through here, one at a time, and is seen by nobody before it is on disk.
 *
 * Open tasks are in memory with their holds; of the others, those lately asked
 * for, so that a poll costs no look into the database.
 *
 * @module
 */

import type { CallOutcome } from "../../accounts/close_call.ts";
import type { Hold, Ledger } from "../../accounts/ledger.ts";
import type { AuditNote } from "../../domain/audit.ts";
import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import { GatewayError } from "../../errors.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import { tooManyOpen } from "../../limits/open_tasks.ts";
import type { Entry, EntryResult, MostOpenTasks } from "../../storage/ports/entry.ts";
import type { CallStore, VideoStore } from "../../storage/ports/storage.ts";
import { checkChange, type TaskChange } from "./task_change.ts";

export type { TaskChange };

/** What the book works with. */
export interface TaskBookOptions {
  readonly videos: VideoStore;
  readonly calls: CallStore;
  readonly commits: CommitQueue;
  readonly ledger: Ledger;
  /** Told of each task's call when it is closed. */
  readonly onClosed?: ((call: ClosedCall) => void) | undefined;
  /** Hears of listeners that failed at a change that is stored all the same. */
  readonly onError: (error: unknown) => void;
}

/** How a task is deleted. */
export interface TaskRemoval {
  /** Closes the task's call if that is open. */
  readonly close: CallOutcome | undefined;
  /** The row for the audit log, of a task that an operator deletes. */
  readonly note?: AuditNote | undefined;
}

/** Tasks that are not open and are kept in memory, by number and by the characters in them. */
const RECENT_TASKS = 10_000;
const RECENT_CHARACTERS = 16_000_000;
/** Open tasks read from storage in one go at boot. */
const LOAD_SLICE = 1_000;
const ALL_OPEN_CALLS = 10_000_000;

/** Told of each stored change; `after` is `undefined` when the task was deleted. */
export type TaskListener = (before: VideoTask | undefined, after: VideoTask | undefined) => void;

export class TaskBook {
  readonly #options: TaskBookOptions;
  readonly #open = new Map<string, VideoTask>();
  readonly #holds = new Map<string, Hold>();
  readonly #recent = new Map<string, VideoTask>();
  #recentCharacters = 0;
  /** The last change under way of each task that has one. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #listeners = new Set<TaskListener>();

  constructor(options: TaskBookOptions) {
    this.#options = options;
  }

  /** Takes charge of the open tasks that are stored, and of their holds. Once, before anything else. */
  async load(): Promise<void> {
    const calls = new Map<number, OpenCall>();
    for (let after = 0;;) {
      const tasks = await this.#options.videos.open(after, LOAD_SLICE);
      if (tasks.length === 0) return;
      if (calls.size === 0) {
        for (const call of await this.#options.calls.openCalls(ALL_OPEN_CALLS)) {
          calls.set(call.callId, call);
        }
      }
      for (const task of tasks) {
        const call = calls.get(task.callId);
        if (call !== undefined) this.#holds.set(task.id, this.#options.ledger.adopt(call));
        this.#open.set(task.id, task);
        after = task.callId;
      }
    }
  }

  /** Takes on open tasks that have become this process's since it was loaded: their node has ended. */
  async adopt(): Promise<void> {
    for (let after = 0;;) {
      const tasks = await this.#options.videos.open(after, LOAD_SLICE);
      if (tasks.length === 0) return;
      for (const task of tasks) {
        after = task.callId;
        if (this.#open.has(task.id)) continue;
        const hold = await this.#readHold(task);
        if (hold !== undefined) this.#holds.set(task.id, hold);
        this.#replace(undefined, task);
      }
    }
  }

  /** Queued tasks and those in progress; of several nodes those that this one works on. */
  openTasks(): Iterable<VideoTask> {
    return this.#open.values();
  }

  /** The task if it is open, or was until just now. */
  known(taskId: string): VideoTask | undefined {
    return this.#open.get(taskId) ?? this.#recent.get(taskId);
  }

  /** The task as it is stored; at once when it is in memory. */
  find(taskId: string): VideoTask | Promise<VideoTask | undefined> {
    return this.known(taskId) ?? this.#read(taskId);
  }

  /** Hears of every stored change, in order, until the function it gives is called. */
  subscribe(listener: TaskListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The call that an open task's hold is taken for. */
  callOf(taskId: string): OpenCall | undefined {
    return this.#holds.get(taskId)?.call;
  }

  /** Likewise, as it is stored, of an open task that another node works on, and the task's revision. */
  async readOpen(
    taskId: string,
  ): Promise<{ readonly call: OpenCall; readonly revision: number } | undefined> {
    const task = await this.find(taskId);
    if (task === undefined || !isOpen(task)) return undefined;
    const call = await this.#options.calls.find(task.callId);
    return call?.state === "open" ? { call, revision: task.revision } : undefined;
  }

  /**
   * Stores a new task with its hold and, where the request may be repeated, its
   * answer.
   *
   * @returns Whether the balance covered the hold; otherwise nothing has changed.
   * @throws {GatewayError} `storage_full` or `internal_error`; nothing has changed.
   */
  async create(
    task: VideoTask,
    { call, idempotency, note, mostOpen = {} }: {
      readonly call: OpenCall;
      readonly idempotency: IdempotencyRecord | undefined;
      /** How many unfinished tasks there may be with it, on all nodes. */
      readonly mostOpen?: MostOpenTasks;
      /** The row for the audit log, of a task that an operator orders. */
      readonly note?: AuditNote | undefined;
    },
  ): Promise<boolean> {
    const entry = {
      kind: "create_video",
      task,
      call,
      mostOpen,
      ...(idempotency === undefined ? {} : { idempotency }),
    } as const;
    const hold = await this.#options.ledger.shared.holdWith(
      call,
      noted(entry, note),
      ({ openTasksOf: owner }) => owner && tooManyOpen(owner, mostOpen[owner]!),
    );
    if (hold === undefined) return false;
    this.#holds.set(task.id, hold);
    this.#replace(undefined, task);
    return true;
  }

  /**
   * Changes a task: `decide` is given the newest one and says what is next, or
   * `undefined` to leave it. Changes of one task wait for each other.
   *
   * @returns The task as it is stored afterwards; `undefined` when nothing was
   * changed, because there is no such task, the decision left it, or the balance
   * does not cover a dearer route.
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  change(
    taskId: string,
    decide: (task: VideoTask) => TaskChange | undefined,
  ): Promise<VideoTask | undefined> {
    return this.#inTurn(taskId, async () => {
      const before = await this.find(taskId);
      const change = before && decide(before);
      if (before === undefined || change === undefined) return undefined;
      const after: VideoTask = { ...before, ...change.set, revision: before.revision + 1 };
      checkChange(before, { after, change });
      if (!await this.#write(before, { after, change })) return undefined;
      this.#replace(before, after);
      return after;
    });
  }

  /**
   * Deletes a task. `decide` is given the newest one and says how its call ends
   * if that is open, and what is noted of an operator's doing.
   *
   * @returns The task as it was; `undefined` when there was none, or the decision left it.
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  remove(
    taskId: string,
    decide: (task: VideoTask) => TaskRemoval | undefined,
  ): Promise<VideoTask | undefined> {
    return this.#inTurn(taskId, async () => {
      const before = await this.find(taskId);
      const decision = before && decide(before);
      if (before === undefined || decision === undefined) return undefined;
      const entry = { kind: "delete_video", taskId, revision: before.revision } as const;
      const hold = await this.#holdOf(before);
      if (hold !== undefined && decision.close !== undefined) {
        const closed = await this.#options.ledger.shared.closeWith(
          hold,
          decision.close,
          (close) => noted({ ...entry, close }, decision.note),
        );
        if (!closed.ok) throw this.#lost(taskId);
        this.#options.onClosed?.(closed.call);
      } else {
        this.#accept(await this.#options.commits.commit(noted(entry, decision.note)), taskId);
      }
      this.#replace(before, undefined);
      return before;
    });
  }

  /** Of an open task that another node works on, the hold is looked up. */
  async #holdOf(task: VideoTask): Promise<Hold | undefined> {
    return this.#holds.get(task.id) ?? (isOpen(task) ? await this.#readHold(task) : undefined);
  }

  async #readHold({ id }: VideoTask): Promise<Hold | undefined> {
    const open = await this.readOpen(id);
    return open && this.#options.ledger.adopt(open.call);
  }

  async #read(taskId: string): Promise<VideoTask | undefined> {
    const task = await this.#options.videos.find(taskId);
    // A change may have been stored while this was under way.
    const newer = this.#open.get(taskId) ?? this.#recent.get(taskId);
    if (newer !== undefined) return newer;
    if (task !== undefined && !isOpen(task) && !this.#turns.has(taskId)) this.#remember(task);
    return task;
  }

  /** Whether the change was possible; see {@linkcode TaskBook.change}. */
  async #write(
    before: VideoTask,
    { after, change }: { readonly after: VideoTask; readonly change: TaskChange },
  ): Promise<boolean> {
    const { close, move, webhook } = change;
    const entry = {
      kind: "change_video",
      task: after,
      ...(webhook === undefined ? {} : { webhook }),
    } as const;
    const hold = await this.#holdOf(before);
    if (close !== undefined && hold !== undefined) {
      const closed = await this.#options.ledger.shared.closeWith(hold, close, (call) => ({
        ...entry,
        close: call,
      }));
      if (!closed.ok) throw this.#lost(before.id);
      this.#options.onClosed?.(closed.call);
    } else if (move !== undefined && hold !== undefined) {
      return await this.#options.ledger.shared.moveWith(hold, move, { ...entry, move });
    } else {
      this.#accept(await this.#options.commits.commit(noted(entry, change.note)), before.id);
    }
    return true;
  }

  #accept(result: EntryResult, taskId: string): void {
    if (result.ok) return;
    if (result.reason === "conflict" || result.reason === "missing") throw this.#lost(taskId);
    throw new GatewayError(
      "storage_full",
      "The gateway cannot write its tasks at the moment: try again later",
      { retryAfterSeconds: 10, cause: result.message },
    );
  }

  /** Storage knows another state of a task than this process: its own is forgotten, and read again. */
  #lost(taskId: string): GatewayError {
    this.#forget(taskId);
    void this.#inTurn(taskId, () => this.#readAgain(taskId)).catch(this.#options.onError);
    return new GatewayError(
      "internal_error",
      "The task was changed by somebody else: ask for it again",
      { cause: `storage has another revision of ${taskId}` },
    );
  }

  /** Another node has changed an open task, or ended it. */
  async #readAgain(taskId: string): Promise<void> {
    const known = this.#open.get(taskId);
    const stored = known && await this.#options.videos.find(taskId);
    if (known !== undefined && stored?.revision !== known.revision) this.#replace(known, stored);
  }

  #replace(before: VideoTask | undefined, after: VideoTask | undefined): void {
    const id = (after ?? before)!.id;
    this.#forget(id);
    // It goes on at the node that works on it.
    const isOthers = before !== undefined && isOpen(before) && !this.#open.has(id);
    if (isOthers && after !== undefined && isOpen(after)) return;
    if (after !== undefined && isOpen(after)) this.#open.set(id, after);
    else {
      this.#open.delete(id);
      this.#holds.delete(id);
      if (after !== undefined) this.#remember(after);
    }
    for (const listener of this.#listeners) {
      try {
        listener(before, after);
      } catch (error) {
        // Stored is stored: whoever made the change must not take it for refused.
        this.#options.onError(error);
      }
    }
  }

  #remember(task: VideoTask): void {
    this.#forget(task.id);
    this.#recent.set(task.id, task);
    this.#recentCharacters += charactersOf(task);
    for (const oldest of this.#recent.keys()) {
      const isWithin = this.#recent.size <= RECENT_TASKS &&
        this.#recentCharacters <= RECENT_CHARACTERS;
      if (isWithin) return;
      this.#forget(oldest);
    }
  }

  #forget(taskId: string): void {
    const task = this.#recent.get(taskId);
    if (task === undefined) return;
    this.#recent.delete(taskId);
    this.#recentCharacters -= charactersOf(task);
  }

  async #inTurn<Result>(taskId: string, run: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(taskId);
    const turn = before === undefined ? run() : before.then(run, run);
    this.#turns.set(taskId, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(taskId) === turn) this.#turns.delete(taskId);
    }
  }
}

function noted(
  entry: Extract<Entry, { readonly kind: "create_video" | "change_video" | "delete_video" }>,
  note: AuditNote | undefined,
): Entry {
  return note === undefined ? entry : { kind: "audited", changes: [entry], note };
}

/** The longest of what its caller wrote. Further fields, which few tasks have, count by their JSON. */
function charactersOf({ prompt, fields }: VideoTask): number {
  let characters = prompt.length;
  for (const name in fields) characters += JSON.stringify({ [name]: fields[name] }).length;
  return characters;
}
