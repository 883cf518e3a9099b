/**
 * What is told of something that is no longer there.
 *
 * @module
 */

import * as z from "zod";

/** @param object As its answers call it. */
export function deletedSchema<Name extends string>(object: Name) {
  return z.object({ id: z.string(), object: z.literal(object), deleted: z.literal(true) });
}
