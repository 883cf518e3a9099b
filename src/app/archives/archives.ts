/**
 * Archives of the database that this process has.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type {
  AdminArchives,
  ArchivedCall,
  ArchiveOutlook,
  WrittenArchive,
} from "../../admin/base/archive_report.ts";
import type { WorkProgress, WorkWatcher } from "../../admin/base/work_progress.ts";
import type { Checkpoint } from "../../domain/checkpoint.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";
import { DATABASE_FILES } from "../database/driver.ts";
import { Jobs } from "../jobs/jobs.ts";
import { checkNewFile, explainNewFile, makeOwnFolder } from "../jobs/new_file.ts";

/** What archives are made with. */
export interface ArchivesOptions {
  readonly reserve: Pick<DiskReserve, "freeBytes">;
  readonly clock: Clock;
  readonly commits: CommitQueue;
  /** What has the database, if it is no file. */
  readonly server?: string | undefined;
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
  readonly #server: string | undefined;
  readonly #jobs = new Jobs();
  #progress: WorkProgress | undefined;
  #watcher: WorkWatcher | undefined;
  #working: Promise<unknown> | undefined;

  constructor(dataDir: string, { clock, commits, reserve, server }: ArchivesOptions) {
    this.#dataDir = resolve(dataDir);
    this.#clock = clock;
    this.#commits = commits;
    this.#reserve = reserve;
    this.#server = server;
  }

  async alone<Value>(work: () => Promise<Value>, watcher?: WorkWatcher): Promise<Value> {
    if (this.isUnderWay) {
      throw new GatewayError("conflict", "Cannot archive calls: that is under way already");
    }
    this.#watcher = watcher;
    const working = work();
    this.#working = working.catch(() => {});
    try {
      return await working;
    } finally {
      this.#working = undefined;
      this.#progress = undefined;
      this.#watcher = undefined;
    }
  }

  get isUnderWay(): boolean {
    return this.#working !== undefined;
  }

  progress(): WorkProgress | undefined {
    return this.#progress;
  }

  outlook(beforeMs: number): Promise<ArchiveOutlook> {
    const job = { kind: "look_before", database: this.#database, beforeMs } as const;
    return this.#jobs.run(job, this.#following);
  }

  async write(beforeMs: number, place: string | undefined): Promise<WrittenArchive> {
    const ownFolder = `${this.#dataDir}/archives`;
    const file = fileAt(place ?? ownFolder, place === undefined, beforeMs);
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
      this.#tell({ step: "dropping", done, total: undefined });
      const rest = Math.max(LEAST_REST_MS, REST_TIMES * (performance.now() - begun));
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
  }

  async findCall({ file }: Checkpoint, callId: number): Promise<ArchivedCall> {
    const { MAINTENANCE } = await import("../database/maintenance.ts");
    try {
      using archive = MAINTENANCE.archives.open(file);
      const call = archive.calls(callId - 1, 1)[0];
      return call?.callId === callId ? { kind: "found", call } : { kind: "not_in_it" };
    } catch (error) {
      if (!(error instanceof StorageOpenError)) throw error;
      return { kind: "unreadable" };
    }
  }

  isInPlace({ file }: Checkpoint): boolean {
    return existsSync(file);
  }

  /** Ends what is under way; whatever is archived by then stays so. */
  async stop(): Promise<void> {
    await this.#jobs.stop();
    await this.#working;
  }

  /** What a job of the Worker is followed by. */
  get #following(): Partial<WorkWatcher> {
    const { signal } = this.#watcher ?? {};
    const onProgress = (progress: WorkProgress) => this.#tell(progress);
    return signal === undefined ? { onProgress } : { onProgress, signal };
  }

  #tell(progress: WorkProgress): void {
    this.#progress = progress;
    this.#watcher?.onProgress(progress);
  }

  get #database(): string {
    if (this.#server !== undefined) {
      throw new GatewayError(
        "not_supported",
        `The database is ${this.#server}: its calls stay there, and are not archived`,
      );
    }
    return DATABASE_FILES.fileIn(this.#dataDir);
  }

  async #write(file: string, beforeMs: number): Promise<WrittenArchive> {
    const part = `${file}.${randomName(8)}.part`;
    try {
      return await this.#jobs.run({
        kind: "archive",
        database: this.#database,
        part,
        file,
        beforeMs,
        now: this.#clock.now(),
      }, this.#following);
    } finally {
      await removeParts(file);
    }
  }
}

/** A folder gets a file that is named after the last month in it. */
function fileAt(place: string, isFolder: boolean, beforeMs: number): string {
  const path = resolve(place);
  if (!isFolder && !(existsSync(path) && statSync(path).isDirectory())) return path;
  return resolve(path, archiveName(beforeMs));
}

/** Such as `tollgate-calls-to-2026-08.db`, of all before 2026-09-01. */
export function archiveName(beforeMs: number): string {
  return `tollgate-calls-to-${new Date(beforeMs - 1).toISOString().slice(0, 7)}.db`;
}

/** What processes have left that died while they wrote this file: one at a time writes it. */
async function removeParts(file: string): Promise<void> {
  const prefix = `${basename(file)}.`;
  for await (const { name } of Deno.readDir(dirname(file))) {
    const isOurs = name.startsWith(prefix) && /^[a-z2-7]{8}\.part(-\w+)?$/.test(
      name.slice(prefix.length),
    );
    if (isOurs) await Deno.remove(`${dirname(file)}/${name}`);
  }
}
