/**
 * Schemas that are made when they are first asked: of the thousands that the program has, a start asks
 * few, and to make all of them took a fifth of its time. They stand in `z.lazy`.
 *
 * @module
 */

import * as z from "zod";

/** The schema itself, for whoever looks into it: of one that stands in `z.lazy`, made now if need be. */
export function madeSchema<Value>(schema: z.ZodType<Value>): z.ZodType<Value> {
  if (!(schema instanceof z.ZodLazy)) return schema;
  // `unwrap` would make another one each time.
  return schema._zod.innerType as z.ZodType<Value>;
}
