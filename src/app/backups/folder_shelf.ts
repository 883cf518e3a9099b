/**
 * Backups by schedule in a folder of this machine.
 *
 * @module
 */

import { join } from "node:path";
import type { BackupReport } from "../../admin/base/backup_report.ts";
import { isS3 } from "../../domain/s3_address.ts";
import { ifThere } from "../../files/if_there.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";
import type { Backups } from "./backups.ts";
import { copyFilms } from "./copy_films.ts";
import { isThere, type MadeState } from "./made_backups.ts";
import type { FilmTimes, Shelf } from "./shelf.ts";

/** What it works with. */
export interface FolderShelfOptions {
  readonly backups: Pick<Backups, "create">;
  readonly dataDir: string;
  readonly reserve: Pick<DiskReserve, "freeBytes">;
}

export class FolderShelf implements Shelf {
  readonly place: string;
  readonly #folder: string | undefined;
  readonly #options: FolderShelfOptions;

  /** @param folder One that is there; `undefined` for `backups` in the data dir. */
  constructor(folder: string | undefined, options: FolderShelfOptions) {
    this.place = folder ?? join(options.dataDir, "backups");
    this.#folder = folder;
    this.#options = options;
  }

  holds(file: string): boolean {
    return !isS3(file);
  }

  make(): Promise<BackupReport> {
    const folder = this.#folder;
    return this.#options.backups.create(folder === undefined ? undefined : { folder });
  }

  settle(state: MadeState): Promise<MadeState> {
    return Promise.resolve(state);
  }

  async present(made: MadeState["backups"]): Promise<MadeState["backups"]> {
    const there: MadeState["backups"] = [];
    for (const backup of made) if (await isThere(backup)) there.push(backup);
    return there;
  }

  async remove(file: string): Promise<void> {
    await ifThere(Deno.remove(file));
  }

  copyFilms(times: FilmTimes): Promise<Record<string, number>> {
    const { dataDir, reserve } = this.#options;
    return copyFilms({
      from: `${dataDir}/videos`,
      to: join(this.place, "films"),
      reserve,
      ...times,
    });
  }
}
