/**
 * Why a request body could not be read. Callers tell them apart by class.
 *
 * @module
 */

/** The body is, or says it is, larger than allowed: answer 413. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  /** The limit that was passed, in bytes. */
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`Cannot read the request body as it is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** The body came slower than the least rate: the connection is closed. */
export class BodyTooSlowError extends Error {
  override readonly name = "BodyTooSlowError";
  constructor(minBytesPerSecond: number) {
    super(`Cannot read the request body as it came slower than ${minBytesPerSecond} bytes/s`);
  }
}

/** The client went away before its body was complete: nobody is there to be answered. */
export class BodyAbortedError extends Error {
  override readonly name = "BodyAbortedError";
  constructor(options?: ErrorOptions) {
    super("Cannot read the request body as the client closed the connection", options);
  }
}

/** The body's chunked framing is broken: answer 400. */
export class BodyMalformedError extends Error {
  override readonly name = "BodyMalformedError";
  constructor(detail: string) {
    super(`Cannot read the request body: ${detail}`);
  }
}
