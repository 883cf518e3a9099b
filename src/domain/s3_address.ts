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

/** A bucket, with the server that has it. */
export interface S3Place extends S3Address {
  /** Without `/` at its end; `undefined` for the one that the environment names, or AWS'. */
  readonly endpoint: string | undefined;
}

/** Reads `https://endpoint/bucket/path` and `s3://bucket/path`; `undefined` for what is neither. */
export function parseS3Url(text: string): S3Place | undefined {
  if (isS3(text)) {
    const address = parseS3Address(text);
    return address && { ...address, endpoint: undefined };
  }
  const [, endpoint = "", rest = ""] = /^(https?:\/\/[^/?#@\\]+)\/([^?#]+)$/i.exec(text) ?? [];
  const address = URL.canParse(endpoint) ? parseS3Address(`s3://${rest}`) : undefined;
  return address && { ...address, endpoint: endpoint.toLowerCase() };
}

export function formatS3Address({ bucket, path }: S3Address): string {
  return `s3://${bucket}${path === "" ? "" : `/${path}`}`;
}
