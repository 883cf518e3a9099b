/**
 * Lists in pages, as OpenAI has them: each goes on from an id of the one before.
 *
 * @module
 */

import * as z from "zod";

/** Entries of a page where none are asked for. */
const DEFAULT_LIMIT = "20";

/** A page of entries of a schema. */
export function pageSchema<Entry extends z.ZodType>(entry: Entry) {
  return z.lazy(() =>
    z.object({
      object: z.literal("list"),
      data: z.array(entry),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    })
  );
}

/** A page as it is told. */
export function pageOf<Entry extends { readonly id: string }>(
  data: Entry[],
  { hasMore }: { readonly hasMore: boolean },
) {
  return {
    object: "list" as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** How a list is asked for. */
interface PageOptions {
  /** Of a page's entries. */
  readonly least: 0 | 1;
  /** What the document says of the two. */
  readonly order: string;
  readonly after: string;
}

/** The query of a list whose pages have from `least` to 100 entries. */
export function pageQuery(options: PageOptions) {
  return z.lazy(() => z.object(pageFields(options)));
}

/** The fields of such a query. */
export function pageFields({ least, order, after }: PageOptions) {
  return {
    limit: z.string().regex(
      least === 0 ? /^(?:\d|[1-9]\d|100)$/ : /^(?:[1-9]\d?|100)$/,
      `Expected a whole number from ${least} to 100, in digits alone`,
    ).prefault(DEFAULT_LIMIT).transform(Number).describe("At most 100; 20 by default"),
    order: z.enum(["asc", "desc"]).default("desc").describe(order),
    after: z.string().optional().describe(after),
  };
}
