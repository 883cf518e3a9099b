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
import { awaitTurn } from "../../limits/await_turn.ts";
import type { ByteRoom } from "../../limits/stay.ts";

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

/**
 * The body as it comes, piece by piece; nothing of it is reserved.
 *
 * @throws {GatewayError} So do its reads, also when more comes than may.
 */
export function openBody(request: Request, maxBytes: number): OpenBody {
  refuseCodings(request);
  const incoming = IncomingRequest.takeBody(request);
  const { length } = incoming;
  if (length !== undefined && length > maxBytes) {
    throw asGatewayError(new BodyTooLargeError(maxBytes));
  }
  const open = {
    bytes: 0,
    async read(target: Uint8Array): Promise<number> {
      try {
        const count = await incoming.read(target);
        open.bytes += count;
        if (open.bytes > maxBytes) throw new BodyTooLargeError(maxBytes);
        return count;
      } catch (error) {
        throw asGatewayError(error);
      }
    },
  };
  return open;
}

/** A body that is being read. */
export interface OpenBody {
  /** How many have come. */
  readonly bytes: number;
  /** Puts at least one byte into the target and says how many; 0 at the end. */
  read(target: Uint8Array): Promise<number>;
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

/** How large a body may be, and what it shares with all others in flight. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Reserves what is read; the caller releases `bytes.length` when it lets go of the body. */
  readonly budget: ByteRoom;
}

/**
 * The whole body; empty if there is none. A body that is refused is not read any further: answer
 * at once, and the listener sees to it that the client can read the answer.
 *
 * @param request One that came through the listener.
 * @throws {BodyTooLargeError} answer 413
 * @throws {BodyMalformedError} answer 400
 * @throws {GatewayError} `pool_limit_exceeded`, by the budget or when its project has sent too many
 * large ones
 * @throws {BodyTooSlowError} {BodyAbortedError} the connection is closed: nobody can be answered
 */
export async function readBody(
  request: Request,
  { maxBytes, budget }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const incoming = IncomingRequest.takeBody(request);
  const { length } = incoming;
  // A body that is refused for its length is not waited for, nor is one that there is not.
  const hasNoTurn = length === 0 || (length !== undefined && length > maxBytes);
  const turn = hasNoTurn ? undefined : awaitTurn(budget, length ?? 0);
  if (turn !== undefined) await turn;
  const bytes = await incoming.readAll(maxBytes, budget);
  if (length === undefined) budget.turnInMs?.(bytes.length);
  return bytes;
}
