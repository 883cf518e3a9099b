/**
 * Backups wherever they lie: a file of this machine as it is, one in a bucket as a copy that is gone
 * afterwards.
 *
 * @module
 */

import { basename, dirname } from "node:path";
import type { StoredBackup } from "../../admin/local/backups.ts";
import { isS3, parseS3Address } from "../../domain/s3_address.ts";
import { exists, placeNewFile } from "../../files/place_new_file.ts";
import { ifThere } from "../../files/if_there.ts";
import { S3Bucket } from "../../objects/s3_bucket.ts";
import type { ObjectStore, ReadObject } from "../../objects/object_store.ts";
import type { S3Access } from "../../objects/s3_client.ts";
import { FILM } from "./copy_films.ts";
import { WORK_PREFIX } from "./copy_for_work.ts";
import { BrokenObject, saveObject } from "../../objects/file_source.ts";
import type { StoredVideo } from "./kept_videos.ts";

/** A backup that can be read. `await using` removes what was fetched for it. */
export interface FetchedBackup extends AsyncDisposable {
  readonly path: string;
  /** As an operator names it. */
  readonly address: string;
  /**
   * Brings those of the films that `folder` lacks and that lie whole beside the backup; how many. One
   * that is broken there would be so the next time too: it must not keep the books from coming back.
   */
  bringFilms(films: AsyncIterable<StoredVideo>, folder: string): Promise<number>;
}

/** Names of backups by schedule: they sort by time. */
const NAME = /^tollgate-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.db$/;

/**
 * Makes a backup readable as a file.
 *
 * @param beside The folder a copy is made in; default: the system's for passing files.
 * @throws {Error} When the bucket does not have it, or not whole.
 */
export async function fetchBackup(
  file: string,
  { beside, s3 }: { readonly beside?: string; readonly s3: S3Access | undefined },
): Promise<FetchedBackup> {
  if (!isS3(file)) {
    return {
      path: file,
      address: file,
      bringFilms: () => Promise.resolve(0),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const { store, path } = openStore(file, s3);
  const key = path.endsWith(".db") ? path : await newestKey(store, path);
  const address = store.addressOf(key);
  const found = await store.get(key);
  if (found === undefined) {
    throw new Error(`There is no ${address}: tollgate backup stored lists what is there`);
  }
  const folder = await Deno.makeTempDir({
    ...(beside !== undefined && { dir: beside }),
    prefix: WORK_PREFIX,
  });
  const remove = () => Deno.remove(folder, { recursive: true });
  try {
    const copy = `${folder}/${basename(key)}`;
    await saveObject(found, { path: copy, address });
    return {
      path: copy,
      address,
      bringFilms: (films, to) => bringFilms(store, { films, prefix: filmsBeside(key), to }),
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * The backups in a bucket, newest first.
 *
 * @throws {Error} When it cannot be listed.
 */
export async function listStored(
  place: string,
  s3: S3Access,
): Promise<readonly StoredBackup[]> {
  const { store, path } = openStore(place, s3);
  return (await storedIn(store, path)).map(({ key, bytes }) => ({
    id: store.addressOf(key),
    at: timeIn(basename(key)),
    bytes,
  }));
}

function openStore(
  text: string,
  access: S3Access | undefined,
): { readonly store: ObjectStore; readonly path: string } {
  const address = parseS3Address(text);
  if (address === undefined || access === undefined) throw new TypeError(`${text} is no bucket`);
  return { store: new S3Bucket({ bucket: address.bucket, access }), path: address.path };
}

async function storedIn(store: ObjectStore, path: string) {
  const prefix = path === "" ? "" : `${path}/`;
  const found = await Array.fromAsync(store.list(`${prefix}tollgate-`));
  return found.filter(({ key }) => NAME.test(key.slice(prefix.length)))
    .sort((one, other) => one.key < other.key ? 1 : -1);
}

async function newestKey(store: ObjectStore, path: string): Promise<string> {
  const [newest] = await storedIn(store, path);
  if (newest !== undefined) return newest.key;
  throw new Error(
    `There is no backup in ${store.addressOf(path)}: name the place that --backup-to named`,
  );
}

function timeIn(name: string): string {
  const [, year, month, day, hour, minute, second] = NAME.exec(name)!;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
}

function filmsBeside(key: string): string {
  const folder = dirname(key);
  return folder === "." ? "films/" : `${folder}/films/`;
}

async function bringFilms(
  store: ObjectStore,
  { films, prefix, to }: {
    readonly films: AsyncIterable<StoredVideo>;
    readonly prefix: string;
    readonly to: string;
  },
): Promise<number> {
  const kept = new Set<string>();
  for await (const { key } of store.list(prefix)) kept.add(key.slice(prefix.length));
  let brought = 0;
  for await (const { taskId } of films) {
    if (await exists(`${to}/${taskId}.mp4`)) continue;
    // A film counts as there once it has its name: what shows it comes before it.
    for (const name of [`${taskId}.webp`, `${taskId}.mp4`].filter((one) => kept.has(one))) {
      // Names come from the backup: only a film's own may become a file here.
      if (!FILM.test(name) || await exists(`${to}/${name}`)) continue;
      const found = await store.get(prefix + name);
      if (found === undefined) continue;
      await Deno.mkdir(to, { recursive: true, mode: 0o700 });
      const part = `${to}/${taskId}.part`;
      await ifThere(Deno.remove(part));
      if (!await isSaved(found, { path: part, address: store.addressOf(prefix + name) })) continue;
      await placeNewFile(part, `${to}/${name}`);
      if (name.endsWith(".mp4")) brought++;
    }
  }
  return brought;
}

/** Whether an object came whole; otherwise nothing stays of it. */
async function isSaved(
  found: ReadObject,
  place: { readonly path: string; readonly address: string },
): Promise<boolean> {
  try {
    await saveObject(found, place);
    return true;
  } catch (error) {
    await ifThere(Deno.remove(place.path));
    if (!(error instanceof BrokenObject)) throw error;
    return false;
  }
}
