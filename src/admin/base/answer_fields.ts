/**
 * Fields of what operations answer: amounts and times have one spelling everywhere.
 *
 * @module
 */

import * as z from "zod";

/** An amount of money: a decimal string with 8 fractional digits. */
export const shownAmount = z.string().regex(/^-?\d+\.\d{8}$/);

/** A moment: RFC 3339, UTC, in milliseconds. */
export const shownTime = z.iso.datetime({ precision: 3 });

/** How many there are. */
export const shownCount = z.int().min(0);

/** What an operation wants its user to know besides, line by line. */
export const warningsField = z.array(z.string()).describe(
  "What may work otherwise than one thinks",
);

/** What is gone for good. */
export const deletedAnswer = z.object({ id: z.string(), deleted: z.literal(true) });
