/**
 * Checks an object by those fields of its schema that it has: a usual request has three of twenty, and
 * each that may be absent takes the library its time to find so.
 *
 * @module
 */

import * as z from "zod";
import { isObject } from "../domain/json_value.ts";
import { madeSchema } from "./made_schema.ts";

/** Fields that are looked for; each is a bit of a number. What more there are is always checked. */
const MOST_FIELDS = 30;
/** Sets of fields whose schema is kept; made up ones of an attacker are checked by the whole schema. */
const MOST_KEPT = 64;

/**
 * Finds the schema to check a value by: the given one, without fields that the value has not and that
 * say nothing when they are absent. So what it gives, and what it says is wrong, are the same.
 */
export function forFieldsThere<Fields>(
  schema: z.ZodType<Fields>,
): (value: unknown) => z.ZodType<Fields> {
  let find: ((value: unknown) => z.ZodType<Fields>) | undefined;
  // Few schemas are asked of, and a start has no time to look at all of them.
  return (value) => (find ??= finderOf(madeSchema(schema)))(value);
}

function finderOf<Fields>(schema: z.ZodType<Fields>): (value: unknown) => z.ZodType<Fields> {
  const optional = optionalFields(schema);
  if (optional.length === 0) return () => schema;
  const kept = new Map<number, z.ZodType<Fields>>();
  return (value) => {
    if (!isObject(value)) return schema;
    let there = 0;
    for (let index = 0; index < optional.length; index++) {
      if (optional[index]! in value) there |= 1 << index;
    }
    const known = kept.get(there);
    if (known !== undefined) return known;
    if (kept.size === MOST_KEPT) return schema;
    const fitting = without(schema, optional.filter((name) => !(name in value)));
    kept.set(there, fitting);
    return fitting;
  };
}

/** Of a schema with further checks no part can be taken. */
function optionalFields(schema: z.ZodType): readonly string[] {
  if (!(schema instanceof z.ZodObject) || (schema.def.checks?.length ?? 0) > 0) return [];
  const { shape } = schema;
  return Object.keys(shape).filter((name) => mayBeLeftOut(shape[name])).slice(0, MOST_FIELDS);
}

function without<Fields>(
  schema: z.ZodType<Fields>,
  names: readonly string[],
): z.ZodType<Fields> {
  const whole = schema as unknown as z.ZodObject<{ [name: string]: z.ZodType }>;
  const left = whole.omit(Object.fromEntries(names.map((name) => [name, true as const])));
  return left as unknown as z.ZodType<Fields>;
}

/** Whether its absence is neither wrong nor gives a value. */
function mayBeLeftOut(field: z.core.$ZodType): boolean {
  if (!(field instanceof z.ZodOptional)) return false;
  const { success, data } = field.safeParse(undefined);
  return success && data === undefined;
}
