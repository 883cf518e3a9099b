/**
 * The one shape of administrative lists: a page, and the id to go on behind.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { GatewayError } from "../../errors.ts";
import { shownCount, shownTime, wholeNumberField } from "./fields.ts";

/** Where a list stopped that may not look for as long as it likes. */
const pageCut = z.object({
  looked_at: shownCount.describe("How many rows were looked at"),
  since: shownTime.describe("The list has everything from there on"),
  advice: z.string(),
});

/** A page of rows. */
export function pageAnswer<Row extends z.ZodType>(row: Row) {
  return z.object({
    object: z.literal("list"),
    data: z.array(row),
    first_id: z.string().nullable().describe("null when nothing is there"),
    last_id: z.string().nullable().describe(
      "What `after` takes for the next page; null when nothing is there",
    ),
    has_more: z.boolean(),
    cut: pageCut.optional().describe(
      "There where looking for rows stopped before the page was full",
    ),
  });
}

/** A page as it is shown. */
export interface Page<Row> {
  readonly object: "list";
  readonly data: readonly Row[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
  readonly cut?: Shown<typeof pageCut> | undefined;
}

/** The most rows of one page. */
export const MOST_ROWS = 1000;
const DEFAULT_ROWS = 50;

const limit = wholeNumberField(z.int().min(1).max(MOST_ROWS)).default(DEFAULT_ROWS)
  .describe(`rows of a page, at most ${MOST_ROWS}`);

/** What every list takes. */
export const pageFields = {
  limit,
  after: z.string().min(1).max(4200).optional()
    .describe("only those behind this one in the list: the last_id of the page before"),
};

/** Which page is asked for. */
export interface PageInput {
  readonly limit: number;
  readonly after?: string | undefined;
}

/**
 * A page of what a store gives: of one row more than was asked for, if there is one.
 *
 * @param rows At most `limit + 1`, in order, from behind `after` on.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit, idOf, hasMore = rows.length > limit }: {
    readonly limit: number;
    readonly idOf: (row: Row) => string;
    readonly hasMore?: boolean;
  },
): Page<Row> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return {
    object: "list",
    data,
    first_id: data[0] === undefined ? null : idOf(data[0]),
    last_id: last === undefined ? null : idOf(last),
    has_more: hasMore,
  };
}

/**
 * A page of what is in memory, as it is shown.
 *
 * @throws {GatewayError} `invalid_value` when `after` is none of them.
 */
export function pageOfItems<Item extends { readonly id: string }, Row>(
  items: readonly Item[],
  { limit, after, show, what }: PageInput & {
    readonly show: (item: Item) => Row & { readonly id: string };
    /** Such as `provider`. */
    readonly what: string;
  },
): Page<Row & { readonly id: string }> {
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw goneCursor(what, after);
  const rows = items.slice(start, start + limit).map(show);
  const hasMore = items.length > start + limit;
  return pageOf(rows, { limit, idOf: ({ id }) => id, hasMore });
}

/** What `after` names is not there, or no more. */
export function goneCursor(what: string, after: string): GatewayError {
  return new GatewayError(
    "invalid_value",
    `There is no ${what} '${after}' to go on behind: 'after' takes the last_id of the page ` +
      "before; if that is gone, list again from the start",
    { param: "after" },
  );
}
