/**
 * Reads a whole request body within limits.
 *
 * @module
 */
import { awaitTurn } from "../../limits/await_turn.ts";
import type { ByteRoom } from "../../limits/stay.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";

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
