/**
 * Which backups the server has made by itself: in a file of the data dir, so that only those are
 * ever deleted, and the schedule goes on after a restart.
 *
 * @module
 */

import { join } from "node:path";
import * as z from "zod";
import type { MadeBackup } from "../../admin/base/backup_report.ts";
import { isS3 } from "../../domain/s3_address.ts";
import { syncFile } from "../../files/place_new_file.ts";

const FILE = "scheduled_backups.json";

const stored = z.lazy(() => {
  const made = z.object({
    file: z.string(),
    at: z.number(),
    bytes: z.number(),
    sha256: z.string(),
    isGood: z.boolean(),
  });
  return z.object({
    backups: z.array(made),
    /** One on its way to a bucket: it counts once it is found there, and whole. */
    underway: made.extend({
      /** Of an upload in parts, which stays until it is ended. */
      uploadId: z.string().optional(),
    }).optional(),
    /** Films of theirs that the data dir does not have any more, and since when. */
    gone: z.record(z.string(), z.number()),
  });
});

/** What is kept of them. */
export type MadeState = z.output<typeof stored>;

export class MadeBackups {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, FILE);
  }

  /**
   * What was made, oldest first.
   *
   * @throws {Error} When it cannot be read: nothing may be deleted then.
   */
  read(): MadeState {
    try {
      return stored.parse(JSON.parse(Deno.readTextFileSync(this.#file)));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return { backups: [], gone: {} };
      throw new Error(
        `Cannot tell which backups were made by schedule: ${this.#file} is damaged. Move it away: ` +
          "those that are there then stay",
        { cause: error },
      );
    }
  }

  async write(state: MadeState): Promise<void> {
    const part = `${this.#file}.part`;
    await Deno.writeTextFile(part, JSON.stringify(state), { mode: 0o600 });
    await syncFile(part);
    await Deno.rename(part, this.#file);
  }

  /** Those that are there, newest first; those in a bucket as the last backup found them. */
  async present(): Promise<readonly MadeBackup[]> {
    const found: MadeBackup[] = [];
    for (const backup of this.read().backups.toReversed()) {
      if (await isThere(backup)) found.push(backup);
    }
    return found;
  }
}

/** Whether the very file is there: another one of its name has another size. */
export async function isThere({ file, bytes }: Pick<MadeBackup, "file" | "bytes">) {
  // Nobody who lists backups waits for a server elsewhere.
  if (isS3(file)) return true;
  try {
    const { size, isFile } = await Deno.lstat(file);
    return isFile && size === bytes;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
