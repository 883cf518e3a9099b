/**
 * Opens the bucket that has the films. Loaded only where there is one.
 *
 * @module
 */

import { systemClock } from "../../domain/clock.ts";
import { hashOf } from "../../objects/bytes_source.ts";
import { delay } from "../../gateway/delay.ts";
import { BucketFilms } from "../../videos/files/bucket_films.ts";
import type { ContentFiles } from "../../videos/files/content_files.ts";
import {
  claimBucket,
  type FilmBucket,
  filmBucketOf,
  type FilmBucketOptions,
  tryBucket,
} from "./film_bucket.ts";

/** A bucket that can be used, before the database is open. */
export interface OpenFilmBucket {
  readonly bucket: FilmBucket;
  /**
   * Takes it for the gateway whose database has this key.
   *
   * @throws {StorageOpenError} When it has another gateway's films.
   */
  claim(options: ClaimOptions): Promise<BucketFilms>;
}

/** Who takes it. */
export interface ClaimOptions {
  /** In hexadecimal: all processes with one database have the same. */
  readonly idKey: string;
  readonly scratch: ContentFiles;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Opens it, and tries it out for a server.
 *
 * @throws {StorageOpenError} When it cannot be used.
 */
export async function openFilmBucket(
  options: FilmBucketOptions,
  { isServed }: {
    /** Whether films are made: a command only looks at them. */
    readonly isServed: boolean;
  },
): Promise<OpenFilmBucket> {
  const bucket = filmBucketOf(options);
  if (isServed) await tryBucket(bucket, systemClock.now());
  return {
    bucket,
    async claim({ idKey, scratch, onTrouble }) {
      if (isServed) await claimBucket(bucket, await nameOf(idKey));
      return new BucketFilms({ ...bucket, scratch, delay, onTrouble });
    },
  };
}

/** What the key is for must not be told to whoever reads the bucket. */
async function nameOf(idKey: string): Promise<string> {
  const text = new TextEncoder().encode(`films of ${idKey}`);
  return (await hashOf(text)).slice(0, 32);
}
