/**
 * The signature of thoughts that are not from an upstream of this dialect: clients drop thoughts that
 * have none, and no such upstream may be shown them.
 *
 * @module
 */

const PREFIX = "tg1.";

/** The signature of a block of thoughts that was converted. */
export function ownSeal(of: string): string {
  return `${PREFIX}${of}`;
}

/** Whether a signature is ours. */
export function isOwnSeal(signature: unknown): boolean {
  return typeof signature === "string" && signature.startsWith(PREFIX);
}
