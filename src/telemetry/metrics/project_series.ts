/**
 * What is counted of the calls of one project.
 *
 * @module
 */

import { UNITS_PER_CURRENCY } from "../../domain/money.ts";
import { UNIT_NAMES, unitOf } from "../../domain/units.ts";
import type { Work } from "../../domain/work.ts";
import type { ClosedCall } from "../../domain/call.ts";
import { Counted, type Family, labelText, type Series } from "./family.ts";
import { PROJECT_FAMILIES } from "./families.ts";

/** The side of each unit; a call has few, and its project's tokens are added up at each. */
const sideOf: { readonly [unit: string]: "prompt" | "completion" | undefined } = Object.fromEntries(
  UNIT_NAMES.map((unit) => [unit, unitOf(unit).side]),
);

export class ProjectSeries {
  readonly #text: string;
  readonly #calls: Counted;
  readonly #prompt: Counted;
  readonly #completion: Counted;
  #chargedE8 = 0;

  constructor(project: string) {
    this.#text = labelText({ project });
    this.#calls = new Counted(this.#text);
    this.#prompt = new Counted(labelText({ project, side: "prompt" }));
    this.#completion = new Counted(labelText({ project, side: "completion" }));
  }

  take({ work, chargedE8 }: ClosedCall): void {
    this.#calls.value++;
    for (const unit in work) {
      const side = sideOf[unit];
      if (side === undefined) continue;
      (side === "prompt" ? this.#prompt : this.#completion).value += work[unit as keyof Work]!;
    }
    if (chargedE8 !== 0n) this.#chargedE8 += Number(chargedE8);
  }

  /** Its series of one of {@linkcode PROJECT_FAMILIES}. */
  *of(family: Family, currency: string): Iterable<Series> {
    if (family === PROJECT_FAMILIES.calls) yield this.#calls;
    if (family === PROJECT_FAMILIES.tokens) yield* [this.#prompt, this.#completion];
    if (family === PROJECT_FAMILIES.charged) {
      yield {
        labels: `${this.#text},${labelText({ currency })}`,
        value: this.#chargedE8 / Number(UNITS_PER_CURRENCY),
      };
    }
  }
}
