/**
 * Reads the error bodies of upstreams that speak Anthropic's dialect.
 *
 * @module
 */

import { asObject, isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { type ErrorBody, type ErrorForm, NO_BODY } from "../base/error_form.ts";
import { ANTHROPIC } from "./family.ts";

export const ANTHROPIC_ERRORS: ErrorForm = {
  family: ANTHROPIC.name,
  parse(text, header) {
    try {
      const value: unknown = JSON.parse(text);
      return isObject(value) ? spentOr(readError(value), header) : NO_BODY;
    } catch {
      // A page or a proxy's words: its status says enough, and its text is not for callers.
      return NO_BODY;
    }
  },
  read: readError,
  isError: (value, eventName) =>
    value.type === "error" || eventName === "error" ||
    (value.type === undefined && isObject(value.error)),
};

/** A limit that passes says when; without that, what the account may spend is spent. */
function spentOr(body: ErrorBody, header: Parameters<ErrorForm["parse"]>[1]): ErrorBody {
  if (header === undefined || body.type !== "rate_limit_error" || body.code !== undefined) {
    return body;
  }
  const says = ["retry-after", "retry-after-ms"].some((name) => header(name) !== undefined);
  return says ? body : { ...body, code: "spend_limit_reached" };
}

function readError(value: JsonObject): ErrorBody {
  const error = asObject(value.error) ?? value;
  const type = nonEmptyString(error.type);
  const message = nonEmptyString(error.message);
  return {
    message,
    code: nonEmptyString(asObject(error.details)?.error_code) ?? nonEmptyString(error.code),
    type: type === "error" ? undefined : type,
    // All that it says of a model that it does not have is `model: NAME`.
    param: type === "not_found_error" && message?.startsWith("model:") === true
      ? "model"
      : nonEmptyString(error.param),
    status: undefined,
  };
}
