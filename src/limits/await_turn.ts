/**
 * Waits for a project's turn to have something large read.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import { MOST_WAIT_MS } from "./large_body_turns.ts";
import type { ByteRoom } from "./stay.ts";

/**
 * Counts what is about to be read, a body or kept answers, and waits for its turn. Most often
 * there is nothing to await.
 *
 * @param bytes 0 counts nothing, as for a body of unknown length.
 * @throws {GatewayError} `pool_limit_exceeded` when it would be waited for too long.
 */
export function awaitTurn(room: ByteRoom | undefined, bytes: number): Promise<void> | undefined {
  const waitMs = room?.turnInMs?.(bytes);
  if (!waitMs) return undefined;
  if (waitMs > MOST_WAIT_MS) {
    throw new GatewayError(
      "pool_limit_exceeded",
      "This project has sent more large bodies, or gone back to more kept answers, than are taken for now: send fewer at the same time",
      { retryAfterSeconds: Math.ceil((waitMs - MOST_WAIT_MS) / 1_000) },
    );
  }
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}
