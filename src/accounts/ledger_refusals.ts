/**
 * What the ledger says where it cannot write.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import type { Refusal } from "../storage/ports/entry.ts";

/** Whether storage is in another state than the entry was made for: trying again does not help. */
export function isOutOfDate(
  refusal: Refusal,
): refusal is Refusal & { reason: "conflict" | "missing" } {
  return refusal.reason === "conflict" || refusal.reason === "missing";
}

/** Storage has refused this call alone. */
export function notAccountedFor(cause: string): GatewayError {
  return new GatewayError(
    "internal_error",
    "The call could not be accounted for and was not charged",
    { cause },
  );
}

/** Storage has refused this call with what it pays for. */
export function notStored(cause: string): GatewayError {
  return new GatewayError(
    "internal_error",
    "The request could not be stored, and nothing was charged",
    { cause },
  );
}

/** Nothing can be written. */
export function storageFull(): GatewayError {
  return new GatewayError(
    "storage_full",
    "The gateway cannot write its ledger at the moment, so it takes no calls: nothing was charged",
    { retryAfterSeconds: 10 },
  );
}

/** Nothing can be read or written, as its server does not answer. */
export function storageAway(): GatewayError {
  return new GatewayError(
    "storage_away",
    "The gateway's database does not answer at the moment, so it takes no calls: nothing was charged",
    { retryAfterSeconds: 1 },
  );
}
