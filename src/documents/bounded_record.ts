/**
 * Objects with any names in schemas for values that somebody else wrote: with a most of
 * members, looked at before any member is, and given up at a fault.
 *
 * @module
 */

import * as z from "zod";
// By name: through the namespace the bundle would have all of it, every language included.
import { $constructor, $ZodAsyncError, util } from "zod/v4/core";

/** How many members an object may have, and how much is told of what is wrong with it. */
export interface RecordBounds {
  readonly most: number;
  /** Faulty members after which no more are looked at; default 1. */
  readonly faults?: number;
}

interface BoundedRecordDef extends z.core.$ZodRecordDef {
  readonly most: number;
  readonly faults: number;
}

/** Named with its type, as an assertion wants it. */
const Record: z.core.$constructor<z.ZodRecord> = z.ZodRecord;

/** The class of {@linkcode boundedRecord}s. */
export const BoundedRecord: z.core.$constructor<z.ZodRecord, BoundedRecordDef> = $constructor(
  "BoundedRecord",
  (record: z.ZodRecord, def: BoundedRecordDef) => {
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
  { most, faults = 1 }: RecordBounds,
): z.ZodRecord<Name, Member> {
  const record = new BoundedRecord({
    type: "record",
    keyType: names,
    valueType: members,
    most,
    faults,
  });
  return record.meta({ maxProperties: most }) as unknown as z.ZodRecord<Name, Member>;
}
