/**
 * Lists, and objects with any names, in schemas for values that somebody else wrote: with a most,
 * looked at before any entry is, and given up at a fault. A plain `z.array` or `z.record` looks at
 * every entry, and makes an issue of each that is wrong: a list of a million wrong ones takes a
 * minute and a gigabyte.
 *
 * @module
 */

import * as z from "zod";
// By name: through the namespace the bundle would have all of it, every language included.
import { $constructor, $ZodAsyncError, util } from "zod/v4/core";

/** How many entries there may be, and how much is told of what is wrong with them. */
export interface Bounds {
  readonly most: number;
  /** Faulty entries after which no more are looked at; default 1. */
  readonly faults?: number;
}

/** Of one list or mapping of a catalogue file: more than anybody mends at once, too few to take long. */
export const FAULTS_TOLD = 50;

/** Named with their types, as an assertion wants it. */
const List: z.core.$constructor<z.ZodArray> = z.ZodArray;
const Record: z.core.$constructor<z.ZodRecord> = z.ZodRecord;

/** What a {@linkcode boundedList} is defined by. */
export interface BoundedListDef extends z.core.$ZodArrayDef, Required<Bounds> {
  readonly isUsual: IsUsual | undefined;
}

/** Whether an entry certainly is what the schema of entries accepts, and is taken as it is. */
export type IsUsual = (entry: unknown) => boolean;

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
        if (def.isUsual?.(value[index]) === true) {
          entries[index] = value[index];
          continue;
        }
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
  { least = 0, most, faults = 1, tooLong, isUsual }: Bounds & {
    readonly least?: number;
    /** Spares usual entries the schema, which takes ten times as long; absent: none. */
    readonly isUsual?: IsUsual;
    /** What is said of a longer one, where its length alone does not say why. */
    readonly tooLong?: string;
  },
): z.ZodArray<Entry> {
  const list = new BoundedList({ type: "array", element, most, faults, isUsual }) as z.ZodArray;
  return (least === 0 ? list : list.min(least)).max(most, tooLong) as z.ZodArray<Entry>;
}

/** The class of {@linkcode boundedRecord}s. */
export const BoundedRecord: z.core.$constructor<
  z.ZodRecord,
  z.core.$ZodRecordDef & Required<Bounds>
> = $constructor(
  "BoundedRecord",
  (record: z.ZodRecord, def: z.core.$ZodRecordDef & Required<Bounds>) => {
    Record.init(record, def);
    const parseWhole = record._zod.parse;
    record._zod.parse = (payload, context) => {
      const { value, issues } = payload;
      if (!util.isPlainObject(value)) return parseWhole(payload, context);
      const given = Object.keys(value);
      if (given.length > def.most) {
        issues.push({
          code: "custom",
          message: `Expected at most ${def.most} pairs: it has ${given.length}`,
          input: value,
          inst: record,
        });
        return payload;
      }
      const members: { [name: string]: unknown } = {};
      let faults = 0;
      for (const name of given) {
        // One member at a time, as the library reads it.
        const member = parseWhole({ value: { [name]: value[name] }, issues: [] }, context);
        if (member instanceof Promise) throw new $ZodAsyncError();
        Object.assign(members, member.value);
        if (member.issues.length === 0) continue;
        issues.push(...member.issues);
        if (++faults === def.faults) break;
      }
      payload.value = members;
      return payload;
    };
  },
);

/** An object of at most `most` members. */
export function boundedRecord<Name extends z.core.$ZodRecordKey, Member extends z.ZodType>(
  names: Name,
  members: Member,
  { most, faults = 1 }: Bounds,
): z.ZodRecord<Name, Member> {
  const def = { keyType: names, valueType: members, most, faults };
  const record = new BoundedRecord({ type: "record", ...def });
  return record.meta({ maxProperties: most }) as unknown as z.ZodRecord<Name, Member>;
}
