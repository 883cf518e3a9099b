/**
 * The rows of a list, page by page, as far as a bound: for files.
 *
 * @module
 */

import type * as z from "zod";
import type { Operation } from "../../admin/base/operation.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import type { RowPages } from "./download.ts";

/** Rows of one file. */
export const MOST_EXPORTED = 20_000;
const PAGE_ROWS = 1_000;
/** The longest that is looked for them. */
const MOST_MS = 60_000;

/** What lists answer with. */
interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly last_id: string | null;
}

/**
 * Asks for one page after the other. What the first one is refused for is thrown; once rows are on
 * their way, the file's last line says it.
 *
 * @param advice What to do about rows that are left out.
 * @throws {GatewayError}
 */
export async function* listPages<Row>(
  { var: { admin } }: ConsoleContext,
  { operation, query, advice }: {
    readonly operation: Operation;
    readonly query: Readonly<Record<string, string>>;
    readonly advice: string;
  },
): RowPages<Row> {
  const endsAt = performance.now() + MOST_MS;
  let after: string | null | undefined;
  for (let rows = 0; rows < MOST_EXPORTED;) {
    const limit = Math.min(PAGE_ROWS, MOST_EXPORTED - rows);
    const input = { ...query, limit, ...(after && { after }) };
    let page;
    try {
      page = await admin.call(operation as Operation<z.ZodType, z.ZodType<Page<Row>>>, input);
    } catch (error) {
      if (rows === 0 || !(error instanceof GatewayError)) throw error;
      return `There are more, behind ${after}: ${error.message}`;
    }
    yield page.data as readonly unknown[] as readonly Row[];
    rows += page.data.length;
    if (!page.has_more) return undefined;
    after = page.last_id;
    if (performance.now() >= endsAt) break;
  }
  return `There are more, behind ${after}: ${advice}`;
}
