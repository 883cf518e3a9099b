/**
 * What the films of all projects together, and those of each, may take: whether
 * another one can be kept, and whose go to make room. Nobody's film goes because of
 * another project's flood: those make room that have more than their fair share, and
 * whoever wants more for itself. And nobody takes all of it with films that may not go
 * yet: unless the operator has said how much a project may keep, it is half of what the
 * others leave, so that there is always room for one more project.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import { GatewayError } from "../../errors.ts";
import type { VideoStore } from "../../storage/ports/storage.ts";
import type { TaskBook } from "../task/task_book.ts";
import { estimateContentBytes } from "../files/content_bytes.ts";

/** How much may be kept; `undefined` for any. */
export interface QuotaRules {
  /** Of all films together. */
  readonly quotaBytes: number | undefined;
  /** Of each project's that has no quota of its own. */
  readonly projectQuotaBytes: number | undefined;
}

/** What the quota works with. */
export interface ContentQuotaOptions extends QuotaRules {
  readonly book: TaskBook;
  readonly videos: Pick<VideoStore, "keptBytes" | "removableBytes">;
  readonly clock: Pick<Clock, "now">;
  /** What the operator has said of one project. */
  readonly ownQuotaOf: (projectId: string) => number | undefined;
  /** Whether there are other projects, for whom some of the quota is to be left. */
  readonly hasOthers: () => boolean;
}

/** A film is not removed for a quota while it is younger. */
export const SPARED_MS = 3_600_000;
const RETRY_SECONDS = 60;

type Bytes = Map<string, number>;

export class ContentQuota {
  readonly #options: ContentQuotaOptions;
  /** By project: films that are kept, and those that are promised. */
  readonly #kept: Bytes = new Map();
  readonly #promised: Bytes = new Map();
  #keptBytes = 0;
  #promisedBytes = 0;

  private constructor(options: ContentQuotaOptions) {
    this.#options = options;
  }

  /** Adds up what is there, and follows the book from then on; it must be loaded. */
  static async load(options: ContentQuotaOptions): Promise<ContentQuota> {
    const quota = new ContentQuota(options);
    for (const { projectId, bytes } of await options.videos.keptBytes()) {
      quota.#keep(projectId, bytes);
    }
    for (const task of options.book.openTasks()) quota.#count(task, 1);
    options.book.subscribe((before, after) => {
      if (before !== undefined) quota.#count(before, -1);
      if (after !== undefined) quota.#count(after, 1);
    });
    return quota;
  }

  /** When a film must have been completed to go, if it was fetched. */
  get removableBefore(): number {
    return this.#options.clock.now() - SPARED_MS;
  }

  /**
   * Promises a project room for a film of so many bytes.
   *
   * @returns Ends the promise: once the task is stored, or was not stored after all.
   * @throws {GatewayError} `storage_full` when it could not be kept, whatever may go.
   */
  async promise(projectId: string, bytes: number): Promise<() => void> {
    this.#promise(projectId, bytes);
    const end = () => this.#promise(projectId, -bytes);
    try {
      await this.#check(projectId, bytes);
    } catch (error) {
      end();
      throw error;
    }
    let isEnded = false;
    return () => {
      if (!isEnded) end();
      isEnded = true;
    };
  }

  /**
   * Whose film is to go next and how much is too much; `undefined` when all is within
   * the quotas.
   *
   * @param hasNone Projects of whose films none may go.
   * @param grown Bytes of new films, by project: older ones of the same project make as much
   * room where nobody has too much.
   */
  next(hasNone: ReadonlySet<string>, grown: ReadonlyMap<string, number>): string | undefined {
    const { quotaBytes } = this.#options;
    let most: string | undefined;
    for (const [id, bytes] of this.#kept) {
      if (hasNone.has(id)) continue;
      if (bytes > this.#quotaOf(id)) return id;
      if (most === undefined || bytes > this.#kept.get(most)!) most = id;
    }
    if (quotaBytes === undefined || this.#keptBytes <= quotaBytes) return undefined;
    if (most !== undefined && this.#kept.get(most)! > this.#fairShare(quotaBytes)) return most;
    for (const [id, bytes] of grown) {
      if (bytes > 0 && this.#kept.has(id) && !hasNone.has(id)) return id;
    }
    return undefined;
  }

  /** With the film's bytes promised already. */
  async #check(projectId: string, bytes: number): Promise<void> {
    const { quotaBytes = Infinity, videos, hasOthers } = this.#options;
    const projectQuotaBytes = this.#quotaOf(projectId);
    if (bytes > Math.min(quotaBytes, projectQuotaBytes)) {
      const most = bytes > projectQuotaBytes
        ? `the ${projectQuotaBytes} bytes that this project's films may take`
        : "the operator's quota for films";
      throw refused(`This film alone is larger than ${most}: ask for a smaller or shorter one`);
    }
    const own = () => of(this.#kept, projectId) + of(this.#promised, projectId);
    const all = () => this.#keptBytes + this.#promisedBytes;
    const leavesNone = (mine: number, others: number) => 2 * mine > quotaBytes - others;
    const isOver = () => own() > projectQuotaBytes || all() > quotaBytes;
    if (!isOver() && !leavesNone(own(), all() - own())) return;
    const removable = new Map(
      (await videos.removableBytes(this.removableBefore)).map((row) => [row.projectId, row.bytes]),
    );
    // Meanwhile others may have ended.
    if (own() - of(removable, projectId) > projectQuotaBytes) {
      throw refused(
        "This project's films and those under way, this one with them, may take more than the " +
          `${projectQuotaBytes} bytes that it may keep, and none of them may go yet: fetch or ` +
          "delete what you no longer need",
      );
    }
    const spared = own() - of(removable, projectId);
    const othersSpared = all() - own() - (sumOf(removable) - of(removable, projectId));
    if (
      projectQuotaBytes === Infinity && spared > bytes && leavesNone(spared, othersSpared) &&
      hasOthers()
    ) {
      throw refused(
        "This project's films and those under way that may not go yet take half of what the " +
          "others leave of the operator's quota: fetch or delete what you no longer need",
      );
    }
    const share = this.#fairShare(quotaBytes);
    let left = all() - of(removable, projectId);
    for (const [id, kept] of this.#kept) {
      if (id === projectId || kept <= share) continue;
      left -= Math.min(of(removable, id), kept - share);
    }
    if (left <= quotaBytes) return;
    throw refused(
      "The films that are kept and those under way take what the operator's quota allows, and " +
        "none that could make room may go yet: fetch or delete what you no longer need",
    );
  }

  /** Bytes that a project's films may take, whatever others leave. */
  #quotaOf(projectId: string): number {
    const { ownQuotaOf, projectQuotaBytes = Infinity } = this.#options;
    return ownQuotaOf(projectId) ?? projectQuotaBytes;
  }

  /** An equal part for each project that has films or is having some made. */
  #fairShare(quotaBytes: number): number {
    const projects = new Set([...this.#kept.keys(), ...this.#promised.keys()]);
    return quotaBytes / Math.max(1, projects.size);
  }

  #count(task: VideoTask, sign: 1 | -1): void {
    const { projectId, file, fileRemovedAt } = task;
    if (isOpen(task)) this.#promise(projectId, sign * estimateContentBytes(task));
    else if (file !== undefined && fileRemovedAt === undefined) {
      this.#keep(projectId, sign * file.bytes);
    }
  }

  #keep(projectId: string, bytes: number): void {
    this.#keptBytes += bytes;
    add(this.#kept, projectId, bytes);
  }

  #promise(projectId: string, bytes: number): void {
    this.#promisedBytes += bytes;
    add(this.#promised, projectId, bytes);
  }
}

function of(bytes: Bytes, projectId: string): number {
  return bytes.get(projectId) ?? 0;
}

function sumOf(bytes: Bytes): number {
  return bytes.values().reduce((sum, one) => sum + one, 0);
}

function add(bytes: Bytes, projectId: string, more: number): void {
  const sum = of(bytes, projectId) + more;
  if (sum > 0) bytes.set(projectId, sum);
  else bytes.delete(projectId);
}

function refused(message: string): GatewayError {
  return new GatewayError("storage_full", `${message}. Nothing was stored or charged`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
