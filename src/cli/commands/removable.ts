/**
 * Options whose value `none` takes a setting away.
 *
 * @module
 */

/** A value, or the word that takes it away. */
export type Removable<Value> = Value | "none";

/** Reads the word where it is offered, and everything else as `read` does. */
export function orNone<Value>(
  read: (text: string) => Value,
  { removable }: { readonly removable: boolean },
): (text: string) => Removable<Value> {
  return (text) => removable && text === "none" ? text : read(text);
}

/** What was given, as an operation takes it: `null` takes away, and what is absent stays. */
export function patchOf<Value extends string | number>(
  settings: { readonly [name: string]: Removable<Value> | undefined },
): { [name: string]: Value | null } {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === "none" ? null : value as Value]]
    ),
  );
}
