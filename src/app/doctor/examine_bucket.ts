/**
 * The bucket that has the films: whether it can be used, and which films it lacks.
 *
 * @module
 */

import type { VideoStore } from "../../storage/ports/storage.ts";
import { keptInBucket } from "../backups/kept_videos.ts";
import { type FilmBucket, filmBucketOf, tryBucket } from "../films/film_bucket.ts";
import { type Finding, listed, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "bucket";
/** A list of more takes minutes and memory. */
const MOST_OBJECTS = 500_000;

/** Who looks at which bucket. */
export type BucketPatient = Pick<Patient, "filmBucket" | "clock" | "isOffline"> & {
  /** A server that has settings of its own, which may name a bucket that is not named here. */
  readonly server?: unknown;
};

/** Tries the bucket out, and compares what it has with what tasks name. */
export async function examineBucket(
  { filmBucket, clock, isOffline, server }: BucketPatient,
  videos: Pick<VideoStore, "list">,
): Promise<readonly Finding[]> {
  const wanted = new Map<string, number>();
  for await (const { key, bytes } of keptInBucket(videos)) wanted.set(key, bytes);
  if (filmBucket === undefined) {
    if (wanted.size === 0 || server !== undefined) return [];
    return [
      problem(
        CHECK,
        `${wanted.size} films are in a bucket, and none is set`,
        "Set --s3-url to the bucket that has them; whoever asks is told that they are gone",
      ),
    ];
  }
  if (isOffline) return [];
  const bucket = filmBucketOf(filmBucket);
  try {
    await tryBucket(bucket, clock.now());
  } catch (error) {
    return [
      problem(
        CHECK,
        error instanceof Error ? error.message : String(error),
        "Films wait until it can be used; a server does not start without it",
      ),
    ];
  }
  return [await compare(bucket, wanted)];
}

async function compare(
  { store, prefix, address }: FilmBucket,
  wanted: Map<string, number>,
): Promise<Finding> {
  const all = wanted.size;
  let seen = 0;
  for await (const { key, bytes } of store.list(`${prefix}video_`)) {
    if (++seen > MOST_OBJECTS) {
      return ok(CHECK, `${address} can be used; it has too many objects to look at each`);
    }
    const name = key.slice(prefix.length);
    if (wanted.get(name) === bytes) wanted.delete(name);
  }
  if (wanted.size === 0) return ok(CHECK, `${address} can be used, and has all of ${all} films`);
  const ids = [...wanted.keys()].map((key) => key.split("/", 1)[0]!);
  return warning(
    CHECK,
    `${wanted.size} missing or cut short in ${address}: ${listed(ids, 3)}`,
    "Bring back the bucket's earlier versions of them, or tollgate videos delete ID; whoever asks is told that they are gone",
  );
}
