/**
 * Archives of the database that this process has.
 *
 * @module
 */

import { resolve } from "node:path";
import type {
  AdminArchives,
  ArchivedCall,
  ArchiveOutlook,
  KnownArchive,
  WrittenArchive,
} from "../../admin/base/archive_report.ts";
import type { WorkProgress, WorkWatcher } from "../../admin/base/work_progress.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { CheckpointStore } from "../../storage/ports/storage.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";
import { DATABASE_FILES } from "../database/driver.ts";
import { Jobs } from "../jobs/jobs.ts";
import { checkNewFile, explainNewFile, makeOwnFolder } from "../jobs/new_file.ts";
import { Alone } from "./alone.ts";
import { archiveName, fileAt, removeParts } from "./archive_place.ts";
import { type DamageListener, findArchivedCall, isInPlace } from "./find_archived_call.ts";

/** What archives are made with. */
export interface ArchivesOptions {
  readonly reserve: Pick<DiskReserve, "freeBytes">;
  readonly clock: Clock;
  readonly commits: CommitQueue;
  /** Hears of archives that cannot be read as they were written. Default: nobody does. */
  readonly onDamage?: DamageListener | undefined;
}

/** Ledger rows dropped in one transaction, which take the writer about 2 ms: what a call may have to wait for. */
const DROPPED_ROWS = 100;
/** Between two of those, at least: calls come first. */
const LEAST_REST_MS = 2;
/** It takes a quarter of the writer's time at most. */
const REST_TIMES = 3;

export class Archives implements AdminArchives {
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #commits: CommitQueue;
  readonly #reserve: ArchivesOptions["reserve"];
  readonly #database: string;
  readonly #jobs = new Jobs();
  readonly #alone = new Alone();
  readonly #onDamage: DamageListener | undefined;

  constructor(dataDir: string, { clock, commits, reserve, onDamage }: ArchivesOptions) {
    this.#dataDir = resolve(dataDir);
    this.#clock = clock;
    this.#commits = commits;
    this.#reserve = reserve;
    this.#onDamage = onDamage;
    this.#database = DATABASE_FILES.fileIn(this.#dataDir);
  }

  alone<Value>(work: () => Promise<Value>, watcher?: WorkWatcher): Promise<Value> {
    return this.#alone.run(work, watcher);
  }

  get isUnderWay(): boolean {
    return this.#alone.isUnderWay;
  }

  progress(): WorkProgress | undefined {
    return this.#alone.progress;
  }

  outlook(beforeMs: number): Promise<ArchiveOutlook> {
    const job = { kind: "look_before", database: this.#database, beforeMs } as const;
    return this.#jobs.run(job, this.#alone.following);
  }

  async write(beforeMs: number, place: string | undefined): Promise<WrittenArchive> {
    const ownFolder = `${this.#dataDir}/archives`;
    const file = fileAt(place ?? ownFolder, {
      isFolder: place === undefined,
      name: archiveName(beforeMs),
    });
    try {
      if (place === undefined) await makeOwnFolder(ownFolder);
      await removeParts(file);
      await checkNewFile(file, {
        what: "archive",
        dataDir: this.#dataDir,
        ownFolder,
        mayBeThere: true,
        reserve: this.#reserve,
      });
      return await this.#write(file, beforeMs);
    } catch (error) {
      throw explainNewFile(error, file, "archive");
    }
  }

  async dropArchived(): Promise<void> {
    for (let done = 0;; done += DROPPED_ROWS) {
      if (this.#jobs.isStopping) {
        throw new GatewayError(
          "shutting_down",
          "The gateway is stopping: its next start goes on with dropping what is archived",
        );
      }
      const begun = performance.now();
      const result = await this.#commits.commit({ kind: "drop_archived", limit: DROPPED_ROWS });
      if (!result.ok) {
        throw new GatewayError(
          result.reason === "full" ? "storage_full" : "internal_error",
          `The archive is whole, and not all of it could be dropped from the database: ${result.message}. Archive again to go on`,
        );
      }
      if (result.hasMore !== true) return;
      this.#alone.tell({ step: "dropping", done, total: undefined });
      const rest = Math.max(LEAST_REST_MS, REST_TIMES * (performance.now() - begun));
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
  }

  async finishDropping(
    checkpoints: Pick<CheckpointStore, "hasLeftovers" | "list">,
  ): Promise<KnownArchive | undefined> {
    if (!await checkpoints.hasLeftovers()) return undefined;
    await this.dropArchived();
    return (await checkpoints.list()).at(-1);
  }

  proveToRestore(): Promise<void> {
    return Promise.reject(new Error("Archives of a file's rows are not restored"));
  }

  restore(): Promise<number> {
    return this.proveToRestore() as Promise<never>;
  }

  list(): Promise<readonly KnownArchive[]> {
    return Promise.resolve([]);
  }

  findCall(archive: KnownArchive, callId: number): Promise<ArchivedCall> {
    return findArchivedCall(archive, callId, this.#onDamage);
  }

  isInPlace(archive: KnownArchive): Promise<boolean> {
    return isInPlace(archive);
  }

  /** Ends what is under way; whatever is archived by then stays so. */
  async stop(): Promise<void> {
    await this.#jobs.stop();
    await this.#alone.ended();
  }

  async #write(file: string, beforeMs: number): Promise<WrittenArchive> {
    const part = `${file}.${randomName(8)}.part`;
    try {
      const { checkpoint, document, bytes } = await this.#jobs.run({
        kind: "archive",
        database: this.#database,
        part,
        file,
        beforeMs,
        now: this.#clock.now(),
      }, this.#alone.following);
      const entry = { kind: "record_checkpoint", checkpoint, document } as const;
      return { archive: checkpoint, entry, bytes, trouble: undefined };
    } finally {
      await removeParts(file);
    }
  }
}
