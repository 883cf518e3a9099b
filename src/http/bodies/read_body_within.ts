/**
 * Reads a whole body within limits, and words what is wrong with one for its
 * caller.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import {
  BodyAbortedError,
  BodyMalformedError,
  BodyTooLargeError,
  BodyTooSlowError,
} from "../listener/body_errors.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { type BodyLimits, readBody } from "./read_body.ts";

/** What a body says, and its size as it came. */
export interface ParsedBody<Value = unknown> {
  readonly value: Value;
  readonly bytes: number;
}

/**
 * The body's bytes, reserved in the budget; whoever asked sees to it that they are given back.
 *
 * @throws {GatewayError}
 */
export async function readBodyWithin(
  request: Request,
  limits: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  refuseCodings(request);
  try {
    return await readBody(request, limits);
  } catch (error) {
    throw asGatewayError(error);
  }
}

/** A body is read as it comes: what a few bytes may grow to is nothing to hold or to wait for. */
function refuseCodings(request: Request): void {
  const codings = IncomingRequest.header(request, "content-encoding");
  if (codings === null || /^[ \t,]*(?:identity[ \t,]*)*$/i.test(codings)) return;
  throw new GatewayError(
    "unsupported_content_encoding",
    `The body's content encoding '${
      codings.slice(0, 80)
    }' is not supported: send it uncompressed, without a Content-Encoding header`,
  );
}

function asGatewayError(error: unknown): unknown {
  if (error instanceof BodyTooLargeError) {
    return new GatewayError(
      "request_too_large",
      `The body is larger than ${error.maxBytes} bytes: send less`,
      { cause: error },
    );
  }
  if (error instanceof BodyMalformedError) {
    return new GatewayError("invalid_json", "The body's chunked encoding is broken", {
      cause: error,
    });
  }
  if (error instanceof BodyTooSlowError || error instanceof BodyAbortedError) {
    return new GatewayError("client_closed_request", "The body did not arrive", { cause: error });
  }
  return error;
}
