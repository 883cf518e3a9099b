/**
 * Whether somebody has a secret: compared here alone, in a time that says nothing of it.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";

/** Both sides are hashed, so that comparing takes the same time for any guess of any length. */
export function isSameSecret(presented: string, secret: string): boolean {
  return timingSafeEqual(sha256(presented), sha256(secret));
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
