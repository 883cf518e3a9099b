/**
 * What a guard that looks at answers is not shown: those of a batch's lines, which are stored with the
 * ends of their calls.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { Guard } from "./guard.ts";

/** @throws {GatewayError} `not_supported` where every answer is looked at. */
export function refuseBatch(guard: Pick<Guard, "looksAtAnswers"> | undefined): void {
  if (guard?.looksAtAnswers !== true) return;
  throw new GatewayError(
    "not_supported",
    "Batches are not supported here, as every answer is looked at before it is delivered: send each request by itself",
  );
}
