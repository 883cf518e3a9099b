/**
 * Films beside backups by schedule: they never change, so each is copied once, and goes when no
 * backup that is kept can have it.
 *
 * @module
 */

import { ifThere } from "../../files/if_there.ts";
import { placeNewFile, syncFile } from "../../files/place_new_file.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";

/** A film or its thumbnail: nothing else in the folders is touched. */
export const FILM = /^video_[a-z2-7]{26}\.(mp4|webm|webp)$/;
/** Left on the disk of the copies for whoever else writes there. */
const SPARED_BYTES = 64 * 1024 ** 2;

/** What copying needs. */
export interface CopyFilmsOptions {
  /** Where they are. */
  readonly from: string;
  /** Where the copies are; made if it is not there. */
  readonly to: string;
  readonly reserve: Pick<DiskReserve, "freeBytes">;
  /** Copies whose film is gone, and since when; milliseconds since the epoch. */
  readonly gone: Readonly<Record<string, number>>;
  readonly now: number;
  /** When the oldest backup that is kept was made. */
  readonly oldestAt: number;
  readonly signal: AbortSignal;
}

/**
 * Copies what is not there yet, and removes copies whose film was gone before the oldest backup.
 *
 * @returns The copies whose film is gone.
 * @throws {Error} The system's, or that there is no room; what is copied stays.
 */
export async function copyFilms(
  { from, to, reserve, gone, now, oldestAt, signal }: CopyFilmsOptions,
): Promise<Record<string, number>> {
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  const there = await filmsIn(from);
  for (const name of there) {
    signal.throwIfAborted();
    const film = await ifThere(Deno.lstat(`${from}/${name}`));
    const copy = await ifThere(Deno.lstat(`${to}/${name}`));
    if (film === undefined || copy?.size === film.size) continue;
    if (reserve.freeBytes(to) < film.size + SPARED_BYTES) {
      throw new Error(`Cannot copy the film ${name} to ${to}: there is no room. Make some`);
    }
    if (copy !== undefined) await Deno.remove(`${to}/${name}`);
    const part = `${to}/${name}.part`;
    await ifThere(Deno.remove(part));
    // It may be deleted in this moment: then it is none that anybody misses.
    if (await ifThere(Deno.copyFile(`${from}/${name}`, part).then(() => true)) === undefined) {
      continue;
    }
    await Deno.chmod(part, 0o600);
    await syncFile(part);
    await placeNewFile(part, `${to}/${name}`);
  }
  const left: Record<string, number> = {};
  for (const name of await filmsIn(to)) {
    if (there.has(name)) continue;
    const since = gone[name] ?? now;
    if (since < oldestAt) await ifThere(Deno.remove(`${to}/${name}`));
    else left[name] = since;
  }
  return left;
}

/** The names of films in a folder; none where there is no folder. */
export async function filmsIn(folder: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const entries = await ifThere(Array.fromAsync(Deno.readDir(folder)));
  for (const { name, isFile } of entries ?? []) if (isFile && FILM.test(name)) names.add(name);
  return names;
}
