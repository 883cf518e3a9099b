/**
 * The parts of prompt and completion in OpenAI's details of both, by the table of units.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { SIDES, unitOf } from "../../domain/units.ts";
import type { Work } from "../../domain/work.ts";

type Side = keyof typeof SIDES;

/** Parts that every answer tells, if only as 0. Vendors have names of their own for them. */
const USUAL: ReadonlySet<string> = new Set<keyof Work>(["cachedInput", "cacheWrite", "reasoning"]);

const PARTS = (["prompt", "completion"] as const).flatMap((side) =>
  SIDES[side].flatMap((unit) => {
    const name = unitOf(unit).detail;
    return name === undefined ? [] : [{ unit, side, name, isUsual: USUAL.has(unit) }];
  })
);

/**
 * The parts that are read by their names alone, and tokens written to a cache for an hour;
 * `undefined` where there is none, as in nearly every answer.
 */
export function readParts(
  details: { readonly [side in Side]: JsonObject | undefined },
  cacheWrite1h: number,
): Work | undefined {
  let parts: { [unit in keyof Work]: number } | undefined;
  if (cacheWrite1h > 0) parts = { cacheWrite1h };
  for (const { unit, side, name, isUsual } of PARTS) {
    if (isUsual) continue;
    const count = details[side]?.[name];
    if (Number.isSafeInteger(count) && (count as number) > 0) {
      parts = { ...parts, [unit]: count as number };
    }
  }
  return parts;
}

/**
 * The details of a total as an object on the wire.
 *
 * @param raw What the upstream said, which stays but for the usual parts: its other parts may
 * overlap with those.
 */
export function detailsBody(work: Work, side: Side, raw?: unknown): JsonObject {
  const further: JsonObject = {};
  const usual: JsonObject = {};
  for (const part of PARTS) {
    if (part.side !== side) continue;
    const count = work[part.unit] ?? 0;
    if (part.isUsual) usual[part.name] = count;
    else if (count > 0) further[part.name] = count;
  }
  // OpenAI knows one kind of it.
  if (side === "prompt" && work.cacheWrite1h !== undefined) {
    usual.cache_write_tokens = (work.cacheWrite ?? 0) + work.cacheWrite1h;
  }
  return { ...further, ...(isObject(raw) ? raw : undefined), ...usual };
}
