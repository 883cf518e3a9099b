/**
 * How the models that are known want to be asked, by their names at the upstream: rows that come with
 * the program, per dialect, of which the first that fits counts. What a route's `supports` says of the
 * same goes before them.
 *
 * @module
 */

import type { ModelTraits } from "../domain/model_traits.ts";
import rows from "./model_traits.json" with { type: "json" };

/** What the program knows of a model. */
export interface KnownTraits extends ModelTraits {
  readonly maxOutputTokens?: number;
}

interface Known {
  readonly pattern: RegExp;
  /** As a catalogue file has it. */
  readonly supports: { readonly [name: string]: unknown };
  readonly traits: KnownTraits;
}

const BY_DIALECT: ReadonlyMap<string, readonly Known[]> = new Map(
  [...Map.groupBy(rows, ({ dialect }) => dialect)].map(([dialect, known]) => [
    dialect,
    known.map(({ pattern, supports }) => ({
      pattern: new RegExp(pattern),
      supports,
      traits: Object.fromEntries(
        Object.entries(supports).map(([name, value]) => [inCamels(name), value]),
      ),
    })),
  ]),
);

/** The traits of a model of a dialect; of one that no row names those of the last row. */
export function knownTraits(dialect: string, model: string): KnownTraits {
  return rowOf(dialect, model)?.traits ?? {};
}

/** The same as a catalogue file has it; `undefined` of a model that is not named. */
export function namedTraits(dialect: string, model: string): Known["supports"] | undefined {
  const row = rowOf(dialect, model);
  if (row === undefined || row.pattern.source === EVERY) return undefined;
  // Of the longest answer the list of prices knows more: of a route it refuses requests.
  const { max_output_tokens: _, ...traits } = row.supports;
  return traits;
}

const EVERY = new RegExp("").source;

function rowOf(dialect: string, model: string): Known | undefined {
  return BY_DIALECT.get(dialect)?.find(({ pattern }) => pattern.test(model));
}

function inCamels(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
