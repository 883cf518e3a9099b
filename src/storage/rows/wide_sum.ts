/**
 * Sums of amounts beyond the 64 bits that SQLite has for an integer. A sum of
 * which the upper and the lower bits are added up apart never overflows, and is put
 * together as a BigInt.
 *
 * @module
 */

import { MOST_SUMMED } from "../ports/sums.ts";

/** The largest integer that a column holds. */
export const MOST_STORABLE = MOST_SUMMED;

const LOW_BITS = 31n;
const LOW_MASK = (1n << LOW_BITS) - 1n;

/** Selects, as two columns for {@linkcode readWideSum}, the sum of an SQL expression, which is not negative. */
export function wideSumSql(expression: string, name: string): string {
  return `sum((${expression}) >> ${LOW_BITS}) AS ${name}_high, ` +
    `sum((${expression}) & ${LOW_MASK}) AS ${name}_low`;
}

/** The sum of that name in a row that was read with BigInts. */
export function readWideSum(row: Readonly<Record<string, unknown>>, name: string): bigint {
  return ((row[`${name}_high`] as bigint) << LOW_BITS) + (row[`${name}_low`] as bigint);
}

/** SQL for `column` with `added`, neither of them negative, or the largest integer where that is more. */
export function cappedAddSql(column: string, added: string): string {
  return `CASE WHEN ${column} > ${MOST_STORABLE} - ${added} THEN ${MOST_STORABLE} ` +
    `ELSE ${column} + ${added} END`;
}

/** A sum as a column holds it. */
export function storable(sumE8: bigint): bigint {
  return sumE8 < MOST_STORABLE ? sumE8 : MOST_STORABLE;
}
