/**
 * The input of a function's call, for upstreams that take it as an object.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { invalidField } from "./refusals.ts";

/**
 * The arguments that a text holds; none at all are an empty object.
 *
 * @throws {UpstreamError} `caller`, naming the place, where they are no JSON object.
 */
export function parseInput(input: string, at: string): JsonObject {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidField(at, `Invalid value for '${at}': the arguments of the call are no JSON object`);
}
