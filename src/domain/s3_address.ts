/**
 * `s3://bucket/prefix`, as operators write it.
 *
 * @module
 */

/** A bucket, or what is in it below a path. */
export interface S3Address {
  readonly bucket: string;
  /** Without `/` at its beginning and end; "" for all of the bucket. */
  readonly path: string;
}

/** The rule of AWS for general purpose buckets. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** What every S3 server takes in a key, and no address has to escape. */
const PATH = /^[\w.-]+(?:\/[\w.-]+)*$/;
const MOST_PATH = 512;

/** Whether a place is meant to be one in a bucket. */
export function isS3(text: string): boolean {
  return /^s3:/i.test(text);
}

/** `undefined` for what is none. */
export function parseS3Address(text: string): S3Address | undefined {
  const [, bucket = "", rest = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(text) ?? [];
  const path = rest.replace(/\/$/, "");
  if (!BUCKET.test(bucket) || path.length > MOST_PATH) return undefined;
  if (path !== "" && (!PATH.test(path) || path.split("/").some((part) => /^\.+$/.test(part)))) {
    return undefined;
  }
  return { bucket, path };
}

export function formatS3Address({ bucket, path }: S3Address): string {
  return `s3://${bucket}${path === "" ? "" : `/${path}`}`;
}
