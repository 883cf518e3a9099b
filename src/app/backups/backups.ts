/**
 * Backups of the database that this process has.
 *
 * @module
 */

import { dirname, resolve } from "node:path";
import type {
  AdminBackups,
  BackupPlace,
  BackupReport,
  MadeBackup,
} from "../../admin/base/backup_report.ts";
import type { WorkWatcher } from "../../admin/base/work_progress.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";
import { ifThere } from "../../files/if_there.ts";
import { DATABASE_FILES } from "../database/driver.ts";
import { Jobs } from "../jobs/jobs.ts";
import { checkNewFile, explainNewFile, makeOwnFolder, type NewFile } from "../jobs/new_file.ts";
import { MadeBackups } from "./made_backups.ts";
import { timeStamp } from "./time_stamp.ts";

export class Backups implements AdminBackups {
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #reserve: Pick<DiskReserve, "freeBytes">;
  readonly #server: string | undefined;
  readonly #jobs = new Jobs();
  /** Those that the server makes by itself. */
  readonly made: MadeBackups;
  #isWriting = false;

  constructor(
    dataDir: string,
    { clock, reserve, server }: {
      readonly clock: Clock;
      readonly reserve: Pick<DiskReserve, "freeBytes">;
      /** What has the database, if it is no file. */
      readonly server?: string | undefined;
    },
  ) {
    this.#dataDir = resolve(dataDir);
    this.made = new MadeBackups(this.#dataDir);
    this.#clock = clock;
    this.#reserve = reserve;
    this.#server = server;
  }

  /** Whether one is under way. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  listMade(): Promise<readonly MadeBackup[]> {
    return this.made.present();
  }

  async create(place: BackupPlace | undefined, watcher?: WorkWatcher): Promise<BackupReport> {
    if (this.#server !== undefined) {
      throw new GatewayError(
        "not_supported",
        `The database is ${this.#server}: it is backed up there, by pg_dump or by keeping its WAL`,
      );
    }
    if (this.#isWriting) {
      throw new GatewayError("conflict", "Cannot begin a backup: another one is under way");
    }
    const file = this.#fileOf(place);
    this.#isWriting = true;
    try {
      if (place === undefined) await makeOwnFolder(dirname(file));
      await checkNewFile(file, this.#newFile);
      return await this.#write(file, watcher);
    } catch (error) {
      throw explainNewFile(error, file, "backup");
    } finally {
      this.#isWriting = false;
    }
  }

  /**
   * Checks every page of the database while it is in use; not while a backup is
   * written, which does the same, nor where the database is a server's to check.
   *
   * @throws {Error} Saying what is damaged.
   */
  async check(): Promise<void> {
    if (this.#isWriting || this.#server !== undefined) return;
    await this.#jobs.run({ kind: "check", database: this.#database });
  }

  /**
   * Ends what is under way; resolves when that has failed and left nothing. A check
   * of pages cannot be broken off: after a while it goes on for nobody, on its thread.
   */
  stop(): Promise<void> {
    return this.#jobs.stop();
  }

  async #write(file: string, watcher: WorkWatcher | undefined): Promise<BackupReport> {
    const part = `${file}.${randomName(8)}.part`;
    try {
      const job = { kind: "write", database: this.#database, part, file } as const;
      return await this.#jobs.run(job, watcher);
    } finally {
      for (const path of [part, ...DATABASE_FILES.filesBeside(part)]) {
        await ifThere(Deno.remove(path));
      }
    }
  }

  get #database(): string {
    return DATABASE_FILES.fileIn(this.#dataDir);
  }

  get #newFile(): NewFile {
    return {
      what: "backup",
      dataDir: this.#dataDir,
      ownFolder: `${this.#dataDir}/backups`,
      mayBeThere: false,
      reserve: this.#reserve,
    };
  }

  #fileOf(place: BackupPlace | undefined): string {
    if (place !== undefined && "file" in place) return resolve(place.file);
    const folder = place?.folder ?? `${this.#dataDir}/backups`;
    return resolve(folder, backupName(this.#clock.now()));
  }
}

/** Such as `tollgate-20261121-145306.db`, in UTC: names sort by time. */
export function backupName(now: number): string {
  return `tollgate-${timeStamp(now)}.db`;
}
