/**
 * A string of a JSON schema's format and length.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";

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
