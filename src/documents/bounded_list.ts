/**
 * Lists in schemas for values that somebody else wrote: with a most, looked at before
 * any entry is, and given up at a fault. A plain `z.array` looks at every entry, and makes
 * an issue of each that is wrong: a list of a million wrong ones takes a minute and a gigabyte.
 *
 * @module
 */

import * as z from "zod";
// By name: through the namespace the bundle would have all of it, every language included.
import { $constructor, $ZodAsyncError, util } from "zod/v4/core";

/** How long a list may be, and how much is told of what is wrong with it. */
export interface ListBounds {
  readonly least?: number;
  readonly most: number;
  /** Faulty entries after which no more are looked at; default 1. */
  readonly faults?: number;
}

interface BoundedListDef extends z.core.$ZodArrayDef {
  readonly most: number;
  readonly faults: number;
}

/** Named with its type, as an assertion wants it. */
const List: z.core.$constructor<z.ZodArray> = z.ZodArray;

/** The class of {@linkcode boundedList}s. */
export const BoundedList: z.core.$constructor<z.ZodArray, BoundedListDef> = $constructor(
  "BoundedList",
  (list: z.ZodArray, def: BoundedListDef) => {
    List.init(list, def);
    const parseWhole = list._zod.parse;
    list._zod.parse = (payload, context) => {
      const { value } = payload;
      // What it has to say there, it says without a look at the entries.
      if (!Array.isArray(value) || value.length > def.most) return parseWhole(payload, context);
      const entries = Array<unknown>(value.length);
      payload.value = entries;
      let faults = 0;
      for (let index = 0; index < value.length && faults < def.faults; index++) {
        const entry = def.element._zod.run({ value: value[index], issues: [] }, context);
        if (entry instanceof Promise) throw new $ZodAsyncError();
        entries[index] = entry.value;
        if (entry.issues.length === 0) continue;
        faults++;
        payload.issues.push(...util.prefixIssues(index, entry.issues));
      }
      return payload;
    };
  },
);

/** A list of at most `most` entries. */
export function boundedList<Entry extends z.ZodType>(
  element: Entry,
  { least = 0, most, faults = 1 }: ListBounds,
): z.ZodArray<Entry> {
  const list = new BoundedList({ type: "array", element, most, faults }) as z.ZodArray;
  return (least === 0 ? list : list.min(least)).max(most) as z.ZodArray<Entry>;
}
