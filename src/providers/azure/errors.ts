/**
 * How Azure tells errors: as OpenAI does, but that its content filter may say inside what it is.
 *
 * @module
 */

import type { ErrorForm } from "../../dialects/base/error_form.ts";
import { OPENAI_ERRORS } from "../../dialects/openai/read_error.ts";
import { objectIn } from "../upstream/upstream_json.ts";
import { asObject } from "../../domain/json_value.ts";

export const AZURE_ERRORS: ErrorForm = {
  ...OPENAI_ERRORS,
  parse(text) {
    const body = OPENAI_ERRORS.parse(text);
    // Said with a status in the place of a code, or with none.
    const hasCode = body.code !== undefined && !/^\d+$/.test(body.code);
    return hasCode || !isFiltered(text) ? body : { ...body, code: "content_filter" };
  },
};

function isFiltered(text: string): boolean {
  const inner = asObject(asObject(objectIn(text).error)?.innererror);
  return inner?.code === "ResponsibleAIPolicyViolation";
}
