/**
 * Seals of ours: on thoughts that were converted. One may carry what another vendor's model wants back;
 * no upstream may be shown it as it is.
 *
 * @module
 */

const PREFIX = "tg1.";

/** A seal of ours. */
export function ownSeal(of: string): string {
  return `${PREFIX}${of}`;
}

/** Whether a seal is ours. */
export function isOwnSeal(seal: unknown): seal is string {
  return typeof seal === "string" && seal.startsWith(PREFIX);
}
