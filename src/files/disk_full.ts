/**
 * Telling a full disk from other trouble: it passes, and is nobody's failure.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";

const FULL_CODES: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** Whether an error says that nothing more can be written for now, to the database or to a file. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof GatewayError) return error.error === "storage_full";
  return error instanceof Error && "code" in error && FULL_CODES.includes(error.code);
}

/** As the system has it, where there would be no room. */
export function diskFull(what: string): Error {
  return Object.assign(new Error(`Cannot ${what}: the disk has no room for it`), {
    code: "ENOSPC",
  });
}
