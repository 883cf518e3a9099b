/**
 * How PostgreSQL says what sums ask for.
 *
 * @module
 */

import type { SumDialect } from "../rows/usage_lines.ts";

/** Its sums never overflow. */
export const POSTGRES_SUMS: SumDialect = {
  month: "to_char(to_timestamp(hour * 3600) AT TIME ZONE 'UTC', 'YYYY-MM')",
  exactSum: (column, name) => `sum(${column}) AS ${name}`,
};
