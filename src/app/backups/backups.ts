/**
 * Backups of the database that this process has.
 *
 * @module
 */

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { AdminBackups, BackupPlace, BackupReport } from "../../admin/backup_report.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { DiskReserve } from "../disk_reserve.ts";
import { type RunningJob, startBackupJob } from "./backup_worker.ts";
import { giveToOwner } from "./give_to_owner.ts";
import { exists } from "./place_new_file.ts";
import { timeStamp } from "./time_stamp.ts";

/** Left beside a backup for whoever else writes on its disk, besides what is the ledger's there. */
const SPARED_BYTES = 16 * 1024 ** 2;

/** Names in the data dir that SQLite looks for when it opens the database. */
const OWN_TRACES: ReadonlySet<string> = new Set(
  ["-journal", "-wal", "-shm"].map((ending) => `tollgate.db${ending}`),
);

/** See the module's text. */
export class Backups implements AdminBackups {
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #reserve: Pick<DiskReserve, "freeBytes">;
  readonly #jobs = new Set<RunningJob>();
  #isWriting = false;
  #isStopping = false;

  constructor(
    dataDir: string,
    { clock, reserve }: {
      readonly clock: Clock;
      readonly reserve: Pick<DiskReserve, "freeBytes">;
    },
  ) {
    this.#dataDir = resolve(dataDir);
    this.#clock = clock;
    this.#reserve = reserve;
  }

  async create(place: BackupPlace | undefined): Promise<BackupReport> {
    if (this.#isWriting) {
      throw new GatewayError("conflict", "Cannot begin a backup: another one is under way");
    }
    const file = this.#fileOf(place);
    this.#isWriting = true;
    try {
      await this.#prepare(file, place);
      const report = await this.#write(file);
      // A command of root's must not keep the server from its own folder.
      if (place === undefined) await giveToOwner(file, this.#dataDir);
      return report;
    } catch (error) {
      throw explain(error, file);
    } finally {
      this.#isWriting = false;
    }
  }

  /**
   * Checks every page of the database while it is in use; not while a backup is
   * written, which does the same.
   *
   * @throws {Error} Saying what is damaged.
   */
  async check(): Promise<void> {
    if (this.#isWriting) return;
    await this.#run({ kind: "check", database: this.#database });
  }

  /**
   * Ends what is under way; resolves when that has failed and left nothing. A check
   * of pages cannot be broken off: after a while it goes on for nobody, on its thread.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#jobs].map((job) => job.stop()));
  }

  async #write(file: string): Promise<BackupReport> {
    const part = `${file}.${randomName(8)}.part`;
    try {
      return (await this.#run({ kind: "write", database: this.#database, part, file }))!;
    } finally {
      for (const path of [part, `${part}-journal`]) await removeIfThere(path);
    }
  }

  get #database(): string {
    return `${this.#dataDir}/tollgate.db`;
  }

  async #run(job: Parameters<typeof startBackupJob>[0]): Promise<BackupReport | undefined> {
    if (this.#isStopping) throw new GatewayError("shutting_down", "The gateway is stopping");
    const running = startBackupJob(job);
    this.#jobs.add(running);
    try {
      return await running.done;
    } finally {
      this.#jobs.delete(running);
    }
  }

  #fileOf(place: BackupPlace | undefined): string {
    if (place !== undefined && "file" in place) return resolve(place.file);
    const folder = place?.folder ?? `${this.#dataDir}/backups`;
    return resolve(folder, backupName(this.#clock.now()));
  }

  /** The Worker would find out the same, after it has copied everything. */
  async #prepare(file: string, place: BackupPlace | undefined): Promise<void> {
    const folder = dirname(file);
    if (place === undefined) {
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      await giveToOwner(folder, this.#dataDir);
    }
    const isBesideDatabase = realpathSync(folder) === realpathSync(this.#dataDir);
    if (isBesideDatabase && OWN_TRACES.has(basename(file))) {
      throw new GatewayError(
        "conflict",
        `Cannot write the backup ${file}: SQLite would take it for a part of the database that it lies beside. Choose another name, or none, for one in ${this.#dataDir}/backups`,
      );
    }
    if (await exists(file)) throw new Deno.errors.AlreadyExists(file);
    const freeBytes = this.#reserve.freeBytes(folder);
    const neededBytes = statSync(this.#database).size + SPARED_BYTES;
    if (freeBytes >= neededBytes) return;
    throw new GatewayError(
      "storage_full",
      `Cannot write the backup ${file}: it needs ${neededBytes} bytes with some room to spare, and ${freeBytes} are free beside what is kept for the ledger. Make room, or choose another disk with --to`,
    );
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Such as `tollgate-20261121-145306.db`, in UTC: names sort by time. */
export function backupName(now: number): string {
  return `tollgate-${timeStamp(now)}.db`;
}

/** What the system says about a path, as something to do about it. */
function explain(error: unknown, file: string): unknown {
  if (error instanceof GatewayError || !(error instanceof Error)) return error;
  const { code } = error as { readonly code?: string };
  const kind = code ?? error.name;
  if (kind === "AlreadyExists" || kind === "EEXIST") {
    return new GatewayError(
      "conflict",
      `Cannot write the backup ${file}: there is something of that name already. Choose another name: backups are never written over`,
    );
  }
  if (["NotFound", "ENOENT", "NotADirectory", "ENOTDIR"].includes(kind)) {
    return new GatewayError(
      "conflict",
      `Cannot write the backup ${file}: there is no folder ${dirname(file)}. Make it first`,
      { cause: error },
    );
  }
  if (kind === "PermissionDenied" || kind === "EACCES" || kind === "EROFS" || kind === "EPERM") {
    return new GatewayError(
      "conflict",
      `Cannot write the backup ${file}: ${error.message}. Name a folder that the process with user id ${Deno.uid()} may write, or none, for one in the data dir`,
      { cause: error },
    );
  }
  if (/full|ENOSPC|No space left/i.test(error.message)) {
    return new GatewayError(
      "storage_full",
      `Cannot write the backup ${file}: the disk is full. Make room, or choose another disk with --to`,
      { cause: error },
    );
  }
  return new GatewayError(
    "internal_error",
    `Cannot write the backup ${file}: ${error.message}`,
    { cause: error },
  );
}
