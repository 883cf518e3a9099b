/**
 * A number within the bounds of a JSON schema, and a string of its format and length.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";

/** `undefined` when the bounds exclude each other. */
export function sampleNumber(
  schema: JsonObject,
  options: { readonly type: "number" | "integer"; readonly variant: number },
): number | undefined {
  const low = bound(schema, "minimum", "exclusiveMinimum", Math.max) ??
    { at: -Infinity, open: false };
  const high = bound(schema, "maximum", "exclusiveMaximum", Math.min) ??
    { at: Infinity, open: false };
  const step = stepOf(schema, options.type);
  const isAllowed = (value: number) =>
    (low.open ? value > low.at : value >= low.at) &&
    (high.open ? value < high.at : value <= high.at);

  if (step === undefined) {
    const wished = 1 + options.variant;
    if (isAllowed(wished)) return wished;
    if (low.at !== -Infinity && high.at !== Infinity) {
      const between = low.at + (high.at - low.at) * ((1 + options.variant) / (2 + options.variant));
      return isAllowed(between) ? between : firstAllowed([low.at, high.at], isAllowed);
    }
    return firstAllowed(
      low.at === -Infinity ? [high.at - wished] : [low.at + wished],
      isAllowed,
    );
  }
  // Whole multiples of the step, from 1 where that is allowed, else from the nearest bound on.
  const from = Math.max(1, Math.ceil(low.at / step)) + options.variant;
  const upwards = [from, from + 1].map((count) => multiple(count, step));
  const lowest = low.at === -Infinity
    ? Math.floor(high.at / step) - options.variant
    : Math.ceil(low.at / step) + options.variant;
  const nearBound = [lowest, lowest + 1, lowest - 1].map((count) => multiple(count, step));
  return firstAllowed([...upwards, ...nearBound], isAllowed);
}

interface Bound {
  readonly at: number;
  readonly open: boolean;
}

/** Draft 4 had `exclusiveMinimum: true` beside `minimum`; later drafts a number. */
function bound(
  schema: JsonObject,
  closedName: string,
  openName: string,
  tighter: (one: number, other: number) => number,
): Bound | undefined {
  const closed = schema[closedName];
  const open = schema[openName];
  if (typeof closed === "number") {
    if (typeof open === "number") {
      return tighter(closed, open) === open
        ? { at: open, open: true }
        : { at: closed, open: false };
    }
    return { at: closed, open: open === true };
  }
  return typeof open === "number" ? { at: open, open: true } : undefined;
}

function stepOf(schema: JsonObject, type: "number" | "integer"): number | undefined {
  const { multipleOf } = schema;
  const given = typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : undefined;
  if (type === "number" || given === undefined) return type === "number" ? given : 1;
  // The smallest whole multiple, looked for no further than any sensible schema needs.
  for (let factor = 1; factor <= 1_000; factor++) {
    const step = multiple(factor, given);
    if (Number.isInteger(step)) return step;
  }
  return undefined;
}

/** `count * step` without the dust of binary fractions: 3 × 0.1 is 0.3. */
function multiple(count: number, step: number): number {
  return Number((count * step).toPrecision(15));
}

function firstAllowed(
  candidates: readonly number[],
  isAllowed: (value: number) => boolean,
): number | undefined {
  return candidates.find((value) => Number.isFinite(value) && isAllowed(value));
}

/** Longer ones are refused: no client tests with them, and they cost memory. */
const MAX_CHARACTERS = 100_000;

/** One valid text for each format; `N` stands for the number of the variant. */
const FORMATS: { readonly [format: string]: (variant: number) => string } = {
  "date-time": (variant) => `2026-01-${day(variant)}T12:00:00Z`,
  "date": (variant) => `2026-01-${day(variant)}`,
  "time": (variant) => `12:00:${two(variant % 60)}Z`,
  "duration": (variant) => `P${variant + 1}D`,
  "email": (variant) => `user${suffix(variant)}@example.com`,
  "idn-email": (variant) => `user${suffix(variant)}@example.com`,
  "hostname": (variant) => `host${suffix(variant)}.example.com`,
  "idn-hostname": (variant) => `host${suffix(variant)}.example.com`,
  "ipv4": (variant) => `192.0.2.${variant % 255}`,
  "ipv6": (variant) => `2001:db8::${(variant + 1).toString(16)}`,
  "uri": (variant) => `https://example.com/${variant}`,
  "uri-reference": (variant) => `https://example.com/${variant}`,
  "iri": (variant) => `https://example.com/${variant}`,
  "url": (variant) => `https://example.com/${variant}`,
  "uuid": (variant) => `123e4567-e89b-42d3-a456-${variant.toString(16).padStart(12, "0")}`,
  "json-pointer": (variant) => `/${variant}`,
  "regex": () => "^.*$",
  "byte": () => "ZXhhbXBsZQ==",
};

/** `undefined` when the lengths exclude each other or are beyond reason. */
export function sampleString(schema: JsonObject, variant: number): string | undefined {
  const { format, minLength, maxLength } = schema;
  const least = typeof minLength === "number" ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : Infinity;
  if (least > most || least > MAX_CHARACTERS) return undefined;
  const make = typeof format === "string" && Object.hasOwn(FORMATS, format)
    ? FORMATS[format]
    : undefined;
  if (make !== undefined) return make(variant);
  const text = `example${suffix(variant)}`;
  if (text.length < least) return text.padEnd(least, " example");
  // The end tells variants apart.
  return text.length > most ? text.slice(text.length - most) : text;
}

function suffix(variant: number): string {
  return variant === 0 ? "" : String(variant + 1);
}

function day(variant: number): string {
  return two(variant % 28 + 1);
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
