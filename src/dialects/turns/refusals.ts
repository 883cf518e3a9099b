/**
 * Refusals of requests that cannot be converted, in words for the caller.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { OtherBlock } from "./blocks.ts";

/** A field that is missing or wrong, whatever the upstream. */
export function invalidField(param: string, message: string): UpstreamError {
  return callerError(message, { param, code: "invalid_value" });
}

/**
 * What the dialect that is written cannot say, by its name in the request: refused, because to
 * leave it out would change what was asked for. Who knows both dialects words it.
 */
export class NotCarried extends Error {
  override readonly name = "NotCarried";
  readonly param: string;
  /** Such as `the tool 'web_search'`. */
  readonly what: string;

  constructor(param: string, what: string) {
    super(`Not carried: ${param}`);
    this.param = param;
    this.what = what;
  }
}

/**
 * The fields of a request that only one dialect, or one family of them, can do, for its own writer.
 *
 * @param names Of the dialect and its family.
 * @throws {NotCarried} Naming the first that is another's.
 */
export function fieldsOf(others: readonly OtherBlock[], names: readonly string[]): JsonObject {
  const other = others.find(({ of }) => !names.includes(of));
  if (other !== undefined) throw new NotCarried(other.at, other.what);
  return Object.assign({}, ...others.map(({ value }) => value));
}

/** The refusal of something that an upstream's dialect has not. */
export function notSupported({ param, what }: NotCarried, advice: string): UpstreamError {
  return callerError(`Cannot use ${what}: ${advice}`, { param, code: "not_supported" });
}

function callerError(
  publicMessage: string,
  { param, code }: { readonly param: string; readonly code: string },
): UpstreamError {
  return new UpstreamError("caller", `The request cannot be converted: '${param}'`, {
    status: 400,
    code,
    param,
    publicMessage,
  });
}
