/**
 * Where films are kept: in the data dir's folder, or in a bucket. What a bucket needs is loaded where
 * there is one.
 *
 * @module
 */

import type { ContentFiles } from "../videos/files/content_files.ts";
import type { FilmStore } from "../videos/files/film_store.ts";
import type { FilmBucket, FilmBucketOptions } from "./films/film_bucket.ts";
import type { ClaimOptions, OpenFilmBucket } from "./films/open_film_bucket.ts";
import type { GatewayOptions } from "./running_gateway.ts";

/** A bucket that has the films. */
export interface UsedBucket extends FilmBucket {
  readonly films: FilmStore & {
    /** How many films cannot be kept yet. */
    readonly waiting: number;
  };
}

/** Where films are kept that are made from now on. */
export interface FilmPlace {
  readonly films: FilmStore;
  readonly bucket: UsedBucket | undefined;
}

/** The bucket that a gateway is started with, and who asks it. */
export function bucketOf(
  { filmBucket: settings, s3 }: Pick<GatewayOptions, "filmBucket" | "s3">,
): FilmBucketOptions | undefined {
  if (settings === undefined) return undefined;
  if (s3 === undefined) throw new TypeError("Nobody is named who asks the bucket of the films");
  return { settings, access: s3 };
}

/**
 * Opens the bucket, if there is one; before anything is changed here.
 *
 * @throws {StorageOpenError} When a server could not use it.
 */
export async function openBucket(
  options: FilmBucketOptions | undefined,
  processKind: "server" | "cli",
): Promise<OpenFilmBucket | undefined> {
  if (options === undefined) return undefined;
  const { openFilmBucket } = await import("./films/open_film_bucket.ts");
  return await openFilmBucket(options, { isServed: processKind === "server" });
}

/**
 * The place of films, once the database is open.
 *
 * @throws {StorageOpenError} When the bucket has another gateway's films.
 */
export async function placeOfFilms(
  opened: OpenFilmBucket | undefined,
  files: ContentFiles,
  claim: Omit<ClaimOptions, "scratch">,
): Promise<FilmPlace> {
  if (opened === undefined) return { films: files, bucket: undefined };
  const films = await opened.claim({ ...claim, scratch: files });
  return { films, bucket: { ...opened.bucket, films } };
}
