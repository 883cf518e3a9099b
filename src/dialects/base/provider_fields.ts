/**
 * `provider` as an object: how OpenRouter's callers steer the choice of a source. What Tollgate
 * cannot know of its providers is refused by name.
 *
 * @module
 */

import * as z from "zod";
import { boundedList } from "../../documents/bounded.ts";
import { tryParseAmount } from "../../domain/money.ts";
import type { ProviderWishes, RoutingPreference } from "../../domain/request_facts.ts";

const MOST_NAMES = 50;

/** A provider or route by its id, in any case. */
const names = z.lazy(() =>
  boundedList(z.string().min(1).max(200).toLowerCase(), { most: MOST_NAMES }).nullish()
);

/** What `sort` asks for. */
export const SORTS: { readonly [sort: string]: RoutingPreference } = {
  price: "lowest_price",
  latency: "lowest_latency",
  throughput: "highest_throughput",
};

const sortName = z.lazy(() => z.enum(Object.keys(SORTS)));

const price = z.lazy(() =>
  z.union([z.number().min(0).max(1e9), z.string().max(32)]).transform((value) =>
    typeof value === "number" ? value.toFixed(8) : value
  ).refine(
    (text) => tryParseAmount(text) !== undefined,
    "Expected a price of 0 or more with at most 8 digits after the point",
  ).nullish()
);

/** The request's names of what {@linkcode ProviderWishes.maxPrices} bounds. */
const PRICED = {
  prompt: "input",
  completion: "output",
  request: "request",
  image: "image",
} as const;

/** Only what says nothing is taken. */
function nothing(what: string) {
  return `${what}: leave it out, and name the providers that you trust in 'provider.only'`;
}

const noBound = (what: string) =>
  z.null(
    `Tollgate leaves no provider out for its ${what}: leave it out, and say '${what}' in 'provider.sort'`,
  ).optional();

export const providerObject = z.lazy(() =>
  z.strictObject({
    order: names.describe("Providers or routes, by id, that are tried first, in this order"),
    only: names.describe("Only these providers or routes are tried"),
    ignore: names.describe("These providers or routes are left out"),
    sort: z.union([
      sortName,
      z.strictObject({ by: sortName.nullish(), partition: z.literal("model").nullish() }),
    ], `Expected one of ${Object.keys(SORTS).join(", ")}, or an object with one of these as 'by'`)
      .nullish().describe("What the choice tends to"),
    allow_fallbacks: z.boolean().nullish().describe(
      "false: only what 'order' names is tried, or the first choice where it names nothing",
    ),
    require_parameters: z.boolean().nullish().describe(
      "true: leaves out routes that drop or replace a field of the request, and those that are not said to support its tools, images or JSON Schema",
    ),
    max_price: z.strictObject({ prompt: price, completion: price, request: price, image: price })
      .nullish().describe(
        "The most that a route may be sold for: per million tokens, per request, per input image",
      ),
    data_collection: z.literal(
      "allow",
      nothing("Tollgate does not know what its providers collect"),
    ).nullish(),
    zdr: z.literal(false, nothing("Tollgate does not know what its providers keep")).nullish(),
    enforce_distillable_text: z.literal(
      false,
      nothing("Tollgate does not know what its providers' terms allow"),
    ).nullish(),
    quantizations: boundedList(z.string(), {
      most: 0,
      tooLong: nothing("Tollgate does not know how its providers' models are quantised"),
    }).nullish(),
    preferred_min_throughput: noBound("throughput"),
    preferred_max_latency: noBound("latency"),
  })
);

/** {@linkcode providerObject}'s value. */
export type ProviderObject = z.output<typeof providerObject>;

/** The preference that `sort` names. */
export function preferenceOf({ sort }: ProviderObject): RoutingPreference | undefined {
  const by = typeof sort === "string" ? sort : sort?.by;
  return by === undefined || by === null ? undefined : SORTS[by];
}

/**
 * What is asked of the providers; `undefined` for nothing.
 *
 * @param parameters Names of the request's own fields, which `require_parameters` is about.
 */
export function providerWishes(
  { order, only, ignore, max_price, ...asked }: ProviderObject,
  parameters: () => readonly string[],
): ProviderWishes | undefined {
  const maxPrices = Object.entries(PRICED).flatMap(([name, unit]) => {
    const most = max_price?.[name as keyof typeof PRICED];
    return most === undefined || most === null ? [] : [[unit, most] as const];
  });
  const wishes: ProviderWishes = {
    ...(isFilled(order) && { order }),
    ...(isFilled(only) && { only }),
    ...(isFilled(ignore) && { ignore }),
    ...(asked.allow_fallbacks === false && { noFallbacks: true }),
    ...(maxPrices.length > 0 && { maxPrices: Object.fromEntries(maxPrices) }),
    ...(asked.require_parameters === true && { parameters: parameters() }),
  };
  for (const _wish in wishes) return wishes;
  return undefined;
}

function isFilled(list: readonly string[] | null | undefined): list is readonly string[] {
  return list !== null && list !== undefined && list.length > 0;
}
