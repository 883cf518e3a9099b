/**
 * Sizes in bytes as people write them: `10485760`, `10MB`, `1.5 GiB`.
 *
 * @module
 */

import * as z from "zod";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ["kb", 1e3],
  ["mb", 1e6],
  ["gb", 1e9],
  ["tb", 1e12],
  ["kib", 1024],
  ["mib", 1024 ** 2],
  ["gib", 1024 ** 3],
  ["tib", 1024 ** 4],
]);

const SIZE = /^(\d{1,15}(?:\.\d{1,9})?) ?([KMGT]?i?B)?$/i;

/** Bytes, a fraction of one rounded down; `undefined` when the text is no size. */
export function parseByteSize(text: string): number | undefined {
  const [, number, unit = ""] = SIZE.exec(text) ?? [];
  const factor = UNITS.get(unit.toLowerCase());
  if (number === undefined || factor === undefined) return undefined;
  // Whoever writes half a byte has forgotten the unit.
  if (factor === 1 && number.includes(".")) return undefined;
  return Math.floor(Number(number) * factor);
}

/** The schema of a size: a number of bytes, or a text with a unit. */
export function byteSize({ min, max }: { readonly min: number; readonly max: number }) {
  return z.union([z.number(), z.string()]).transform((given, context) => {
    const bytes = typeof given === "number" ? given : parseByteSize(given);
    if (bytes !== undefined && Number.isInteger(bytes) && bytes >= min && bytes <= max) {
      return bytes;
    }
    context.addIssue({
      code: "custom",
      message: bytes === undefined || !Number.isInteger(bytes)
        ? "Expected a number of bytes such as 10485760, 10MB or 1.5GiB"
        : `Expected from ${min} to ${max} bytes`,
    });
    return z.NEVER;
  });
}
