/**
 * How much of a scenario is run.
 *
 * @module
 */

/** `commit` ends within minutes and prints times without limits; at `full` size times count too. */
export interface TortureSize {
  readonly name: "commit" | "full";
  /** Whether a time that misses its target fails the row. */
  readonly countsTimes: boolean;
  /** The number of this size. */
  pick<Value>(sizes: { readonly commit: Value; readonly full: Value }): Value;
}

/** The size of that name. */
export function tortureSize(name: TortureSize["name"]): TortureSize {
  return { name, countsTimes: name === "full", pick: (sizes) => sizes[name] };
}
