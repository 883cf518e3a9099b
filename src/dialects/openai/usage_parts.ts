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

/** The parts of a total that have a name on the wire. */
function partsOf(side: Side, isUsual: boolean) {
  return SIDES[side].flatMap((unit) => {
    const name = unitOf(unit).detail;
    return name === undefined || USUAL.has(unit) !== isUsual ? [] : [{ unit, name }];
  });
}

const USUAL_PARTS = { prompt: partsOf("prompt", true), completion: partsOf("completion", true) };
const FURTHER_PARTS = {
  prompt: partsOf("prompt", false),
  completion: partsOf("completion", false),
};

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
  for (const side of ["prompt", "completion"] as const) {
    const counts = details[side];
    if (counts === undefined) continue;
    for (const { unit, name } of FURTHER_PARTS[side]) {
      const count = counts[name];
      if (Number.isSafeInteger(count) && (count as number) > 0) {
        parts = { ...parts, [unit]: count as number };
      }
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
  let body: JsonObject = {};
  for (const { unit, name } of FURTHER_PARTS[side]) {
    const count = work[unit] ?? 0;
    if (count > 0) body[name] = count;
  }
  if (isObject(raw)) body = { ...body, ...raw };
  for (const { unit, name } of USUAL_PARTS[side]) body[name] = work[unit] ?? 0;
  // OpenAI knows one kind of it.
  if (side === "prompt" && work.cacheWrite1h !== undefined) {
    body.cache_write_tokens = (work.cacheWrite ?? 0) + work.cacheWrite1h;
  }
  return body;
}
