/**
 * What a schema's value is to whoever reads it.
 *
 * @module
 */

import type * as z from "zod";

/** A value of a schema, nothing of which may be changed. */
export type Shown<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

type Frozen<Value> = Value extends readonly (infer Entry)[] ? readonly Frozen<Entry>[]
  : Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
  : Value;

/** Reads a value that somebody else wrote; fields that the schema does not know are left out. */
export function readShown<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly ok: true; readonly value: Shown<Schema> } | {
  readonly ok: false;
  readonly error: z.ZodError;
} {
  const read = schema.safeParse(value);
  if (!read.success) return { ok: false, error: read.error };
  // What may be changed may as well be left alone: nothing else differs between the two types.
  return { ok: true, value: read.data as Shown<Schema> };
}
