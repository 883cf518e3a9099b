/**
 * Errors of Bedrock: a message, and their kind in a header, or in the frame of a stream's exception.
 *
 * @module
 */

import { nonEmptyString } from "../../domain/json_value.ts";
import type { ErrorForm } from "../base/error_form.ts";
import { readErrorBody } from "../openai/read_error.ts";

/** The name under which the exceptions of a stream come. */
export const EXCEPTION = "exception";

export const CONVERSE_ERRORS: ErrorForm = {
  parse(text) {
    try {
      return readErrorBody(JSON.parse(text));
    } catch {
      // A page, or nothing: its status says enough.
      return readErrorBody(undefined);
    }
  },
  read: (value) => ({ ...readErrorBody(value), type: nonEmptyString(value.__type) }),
  isError: (value, eventName) =>
    eventName === EXCEPTION || (value.output === undefined && eventName === undefined &&
      nonEmptyString(value.message) !== undefined),
};
