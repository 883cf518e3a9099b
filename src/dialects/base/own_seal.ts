/**
 * Seals of ours: on thoughts that were converted. One may carry what another vendor's model wants back;
 * no upstream may be shown it as it is.
 *
 * @module
 */

const PREFIX = "tg1.";
const CARRYING = /^tg1\.([a-z_]+)\.[^]/;

/** A seal of ours. */
export function ownSeal(of: string): string {
  return `${PREFIX}${of}`;
}

/** Whether a seal is ours. */
export function isOwnSeal(seal: unknown): seal is string {
  return typeof seal === "string" && seal.startsWith(PREFIX);
}

/** The dialect whose seal one of ours carries; `undefined` where it carries none. */
export function carriedDialect(seal: string): string | undefined {
  return CARRYING.exec(seal)?.[1];
}
