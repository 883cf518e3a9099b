/**
 * The bucket that has films and files: whether it can be used, and what it lacks of them.
 *
 * @module
 */

import type { UploadStore, VideoStore } from "../../storage/ports/storage.ts";
import { UPLOADS_PREFIX } from "../../uploads/upload_bucket.ts";
import { keptUploads } from "../backups/kept_uploads.ts";
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

/** What tells what it should have. */
interface Stores {
  readonly videos: Pick<VideoStore, "list">;
  readonly uploads: Pick<UploadStore, "slice">;
}

/** Objects by their keys below the prefix, with their bytes. */
type Wanted = Map<string, number>;

/** Tries the bucket out, and compares what it has with what rows name. */
export async function examineBucket(
  { filmBucket, clock, isOffline, server }: BucketPatient,
  { videos, uploads }: Stores,
): Promise<readonly Finding[]> {
  const wanted: Wanted = new Map();
  for await (const { key, bytes } of keptInBucket(videos)) wanted.set(key, bytes);
  for await (const { objectKey, bytes } of keptUploads(uploads)) {
    if (objectKey !== undefined) wanted.set(objectKey, bytes);
  }
  if (filmBucket === undefined) {
    if (wanted.size === 0 || server !== undefined) return [];
    return [
      problem(
        CHECK,
        `${counted(wanted)} are in a bucket, and none is set`,
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
  wanted: Wanted,
): Promise<Finding> {
  const all = counted(wanted);
  let seen = 0;
  for (const begins of ["video_", UPLOADS_PREFIX]) {
    for await (const { key, bytes } of store.list(prefix + begins)) {
      if (++seen > MOST_OBJECTS) {
        return ok(CHECK, `${address} can be used; it has too many objects to look at each`);
      }
      const name = key.slice(prefix.length);
      if (wanted.get(name) === bytes) wanted.delete(name);
    }
  }
  if (wanted.size === 0) return ok(CHECK, `${address} can be used, and has all of ${all}`);
  const ids = [...wanted.keys()].map((key) => key.replace(UPLOADS_PREFIX, "").split("/", 1)[0]!);
  return warning(
    CHECK,
    `${wanted.size} missing or cut short in ${address}: ${listed(ids, 3)}`,
    "Bring back the bucket's earlier versions of them, or tollgate videos delete ID, or tollgate files delete ID; whoever asks is told that they are gone",
  );
}

function counted(wanted: Wanted): string {
  const files = [...wanted.keys()].filter((key) => key.startsWith(UPLOADS_PREFIX)).length;
  const films = `${wanted.size - files} films`;
  return files === 0 ? films : `${films} and ${files} files`;
}
