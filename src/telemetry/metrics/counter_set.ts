/**
 * The series of one family that is counted, made as they are first met.
 *
 * @module
 */

import { Counted, type Family, labelText, type Reading } from "./family.ts";

/** A family whose series differ by one label. Whoever counts often keeps the series itself. */
export class CounterSet implements Reading {
  readonly family: Family;
  readonly #label: string;
  readonly #series = new Map<string, Counted>();

  /** @param values Those that are known: their series are there from the beginning, at 0. */
  constructor(family: Family, label: string, values: readonly string[] = []) {
    this.family = family;
    this.#label = label;
    for (const value of values) this.of(value);
  }

  get series(): Iterable<Counted> {
    return this.#series.values();
  }

  /** Counts one more of a value. */
  add(value: string): void {
    this.of(value).value++;
  }

  /** The series with this value of the label, which is of a bounded list. */
  of(value: string): Counted {
    let counted = this.#series.get(value);
    if (counted === undefined) {
      counted = new Counted(labelText({ [this.#label]: value }));
      this.#series.set(value, counted);
    }
    return counted;
  }
}
