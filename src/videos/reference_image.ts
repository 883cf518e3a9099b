/**
 * Checks the image that a film is to begin with.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import { ImageError } from "@tollgate/render";

/** Looks at an image without trusting it: in a Worker, within bounds. */
export interface ReferenceChecker {
  /** @throws {ImageError} */
  check(bytes: Uint8Array<ArrayBuffer>): Promise<{ readonly type: string }>;
}

/**
 * The image's media type, by what it is and not by what it is called.
 *
 * @throws {GatewayError} `invalid_value` or `request_too_large`, with `param`.
 */
export async function checkReference(
  checker: ReferenceChecker,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  try {
    return (await checker.check(bytes)).type;
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    throw new GatewayError(
      error.kind === "too_large" ? "request_too_large" : "invalid_value",
      `Invalid value for 'input_reference': ${error.message}`,
      { param: "input_reference" },
    );
  }
}
