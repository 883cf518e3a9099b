/**
 * The bucket that has the films: opened, tried out before anything is changed, and kept from being
 * used by two gateways that do not share a database. Loaded only where there is one.
 *
 * @module
 */

import type { FilmBucketSettings } from "../../config/process_settings.ts";
import { formatS3Address } from "../../domain/s3_address.ts";
import { bytesSource } from "../../objects/bytes_source.ts";
import type { ObjectSource, ObjectStore } from "../../objects/object_store.ts";
import { S3Bucket } from "../../objects/s3_bucket.ts";
import type { S3Access } from "../../objects/s3_client.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";

/** Which bucket, and who asks it. */
export interface FilmBucketOptions {
  readonly settings: FilmBucketSettings;
  readonly access: S3Access;
}

/** A bucket of films. */
export interface FilmBucket {
  /** Waits long for a server, and tries again. */
  readonly store: ObjectStore;
  /** The same for what somebody waits for: it gives up in seconds. */
  readonly quick: ObjectStore;
  /** What all keys begin with: "", or a path with `/` at its end. */
  readonly prefix: string;
  /** As an operator writes it. */
  readonly address: string;
  readonly redirects: boolean;
}

const PART_BYTES = 16 * 1024 ** 2;
/** Whoever keeps a film begins again with all of it afterwards, for as long as it takes. */
const PATIENT_WAITS_MS = [500, 2_000, 5_000];
const QUICK = { waitsMs: [300, 1_000], patienceMs: 8_000 };
const PROBE_MS = 30_000;
/** More than servers put up with between their clock and that of whoever signs. */
const MOST_SKEW_MS = 15 * 60_000;
const OWNER = "tollgate-owner";

/** Asks nobody yet. */
export function filmBucketOf({ settings, access }: FilmBucketOptions): FilmBucket {
  const { bucket, path, endpoint, redirects } = settings;
  const at = { bucket, access: { ...access, endpoint: endpoint ?? access.endpoint } };
  return {
    store: new S3Bucket({ ...at, waitsMs: PATIENT_WAITS_MS, partBytes: PART_BYTES }),
    quick: new S3Bucket({ ...at, ...QUICK, partBytes: PART_BYTES }),
    prefix: path === "" ? "" : `${path}/`,
    address: formatS3Address(settings),
    redirects,
  };
}

/**
 * Writes, reads, lists and deletes an object: what is read must be what was written last.
 *
 * @throws {StorageOpenError} When that is not so; no object is left.
 */
export async function tryBucket(bucket: FilmBucket, now: number): Promise<void> {
  const { quick, prefix } = bucket;
  const key = `${prefix}tollgate-try-${crypto.randomUUID()}`;
  const signal = AbortSignal.timeout(PROBE_MS);
  let isPut = false;
  try {
    for (const text of ["older", "newer"]) {
      await quick.put(key, await textSource(text), { signal });
      isPut = true;
      if (await readText(quick, key, signal) !== text) throw new Error(STALE);
    }
    const [listed] = await Array.fromAsync(quick.list(key, signal));
    if (listed === undefined) throw new Error("its list lacks what was put there a moment ago");
    await quick.delete(key, signal);
    isPut = false;
    if (await quick.head(key, signal) !== undefined) throw new Error(STALE);
    if (Math.abs(listed.putAt - now) > MOST_SKEW_MS) {
      throw new Error(
        `its server says it is ${iso(listed.putAt)}, and this machine ${iso(now)}: set the clock`,
      );
    }
  } catch (error) {
    if (isPut) await quick.delete(key).catch(() => {});
    throw cannotUse(bucket, error);
  }
}

/**
 * Notes whose films the bucket has.
 *
 * @param owner A word that all processes with one database share, and no others.
 * @throws {StorageOpenError} When they are another gateway's: its films would be swept from here.
 */
export async function claimBucket(bucket: FilmBucket, owner: string): Promise<void> {
  const { quick, prefix } = bucket;
  const key = prefix + OWNER;
  let noted: string | undefined;
  try {
    noted = await readText(quick, key);
    if (noted === undefined) return await quick.put(key, await textSource(owner));
  } catch (error) {
    throw cannotUse(bucket, error);
  }
  if (noted === owner) return;
  throw cannotUse(
    bucket,
    new Error(
      "it has the films of a gateway with another database. Use another prefix, or delete " +
        `${quick.addressOf(key)} if that one is no more`,
    ),
  );
}

const STALE = "what is read there is not what was written last, and films could be lost: use a " +
  "bucket that is strongly consistent";

function cannotUse({ address }: FilmBucket, error: unknown): StorageOpenError {
  const said = error instanceof Error ? error.message : String(error);
  const reason = error instanceof DOMException && error.name === "TimeoutError"
    ? `it did not answer in ${PROBE_MS / 1_000} s`
    : said;
  return new StorageOpenError(
    `Cannot keep films in ${address}: ${reason.replace(/\.$/, "")}. Nothing was changed`,
    { cause: error },
  );
}

async function readText(
  store: ObjectStore,
  key: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const found = await store.get(key, { signal });
  return found && await new Response(found.body).text();
}

function textSource(text: string): Promise<ObjectSource> {
  return bytesSource(new TextEncoder().encode(text));
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
