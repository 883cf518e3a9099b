/**
 * What an S3 server has against a request, as something to do about it.
 *
 * @module
 */

import { textOf } from "./s3_answer.ts";

/** Why something could not be done in a bucket. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  /** The server's; 0 where none answered. */
  readonly status: number;
  /** The server's, such as `NoSuchBucket`; "" where it said none. */
  readonly code: string;
  /** Whether the same may succeed in a moment. */
  readonly isPassing: boolean;

  constructor(
    message: string,
    { status = 0, code = "", isPassing, cause }: {
      readonly status?: number;
      readonly code?: string;
      readonly isPassing: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.isPassing = isPassing;
  }
}

const MOST_SAID = 200;
const PASSING_CODES = ["RequestTimeout", "SlowDown", "InternalError", "ServiceUnavailable"];

/** What to do, by the server's code. */
const REMEDIES: Readonly<Record<string, string>> = {
  NoSuchBucket: "Make the bucket first, or name another one",
  InvalidAccessKeyId: "Mend AWS_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "Mend AWS_SECRET_ACCESS_KEY",
  InvalidToken: "Mend AWS_SESSION_TOKEN",
  ExpiredToken: "The credentials have ended: give others",
  AccessDenied: "Allow these credentials to list the bucket, and to read, write and delete in it",
  RequestTimeTooSkewed: "Set this machine's clock",
  AuthorizationHeaderMalformed: "Set AWS_REGION to the bucket's region",
  PermanentRedirect: "Set AWS_REGION to the bucket's region",
  IllegalLocationConstraintException: "Set AWS_REGION to the bucket's region",
  QuotaExceeded: "Make room in the bucket, or keep less there",
};
const BY_STATUS: Readonly<Record<number, string>> = {
  301: "Set AWS_REGION to the bucket's region, or AWS_ENDPOINT_URL_S3 to the server's address",
  403: REMEDIES.AccessDenied!,
  404:
    "Look whether the endpoint (AWS_ENDPOINT_URL_S3, or the one in TOLLGATE_S3_URL) is the address of an " +
    "S3 server, and the bucket is there",
};

/**
 * The error of an answer that says no, also of one with status 200.
 *
 * @param what Such as `Cannot write s3://bucket/key`.
 */
export function errorOf(
  what: string,
  { status, body, region }: {
    readonly status: number;
    readonly body: string;
    /** The bucket's, where the server told it. */
    readonly region?: string | null;
  },
): S3Error {
  const code = (textOf(body, "Code") ?? "").replaceAll(/\W/g, "").slice(0, 60);
  // deno-lint-ignore no-control-regex -- what a server says must not draw on a terminal
  const message = (textOf(body, "Message") ?? "").replaceAll(/[\u0000-\u001f\u007f]+/g, " ");
  const said = [code, message.slice(0, MOST_SAID)].filter((text) => text !== "").join(": ");
  const where = region ? ` (${region.replaceAll(/[^\w-]/g, "")})` : "";
  const remedy = REMEDIES[code] ?? BY_STATUS[status];
  return new S3Error(
    `${what}: the server answered ${status}${said === "" ? "" : ` ${said}`}` +
      (remedy === undefined ? "" : `. ${remedy}${where}`),
    { status, code, isPassing: status >= 500 || status === 429 || PASSING_CODES.includes(code) },
  );
}
