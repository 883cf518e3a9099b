/**
 * How AWS tells errors: the kind is in a header, or in the body's `__type`, whatever the API.
 *
 * @module
 */

import type { ErrorBody, ErrorForm } from "../../dialects/base/error_form.ts";
import { nonEmptyString } from "../../domain/json_value.ts";
import { objectIn } from "../upstream/upstream_json.ts";

/** AWS's kinds as others call them; of several the first whose words fit too. */
const CODES: readonly (readonly [kind: RegExp, code: string, words?: RegExp])[] = [
  [
    /^(?:UnrecognizedClient|InvalidSignature|IncompleteSignature|SignatureDoesNotMatch|ExpiredToken|MissingAuthenticationToken|InvalidClientTokenId)/,
    "unauthenticated",
  ],
  [/^AccessDenied/, "model_not_available", /\baccess to the model\b|\bmodel access\b/i],
  [/^AccessDenied/, "unauthorized"],
  [/^ServiceQuotaExceeded/, "insufficient_quota"],
  [/^ResourceNotFound/, "model_not_found"],
  [
    /^Validation/,
    "invalid_model",
    /on-demand throughput isn.t supported|model identifier is invalid|isn.t supported on this route/i,
  ],
];

/** Of exceptions that come in a stream, the status that they would have had. */
const STATUSES: Readonly<Record<string, number>> = {
  internalServer: 500,
  modelStreamError: 424,
  modelTimeout: 408,
  serviceUnavailable: 503,
  throttling: 429,
  validation: 400,
};

/** The same form, of an API of AWS's. */
export function awsErrors(form: ErrorForm): ErrorForm {
  return {
    ...form,
    parse(text, header) {
      const body = objectIn(text);
      const kind = header?.("x-amzn-errortype") ?? nonEmptyString(body.__type);
      const read = form.parse(text);
      const message = read.message ?? nonEmptyString(body.message) ?? nonEmptyString(body.Message);
      return awsError({ ...read, message }, kind);
    },
  };
}

/** The error of a kind, such as `ThrottlingException:http://…` or `com.amazon#ThrottlingException`. */
export function awsError(body: ErrorBody, kind: string | undefined): ErrorBody {
  if (kind === undefined) return body;
  const name = kind.slice(0, 200).replace(/:.*$/s, "").replace(/^.*#/s, "");
  const message = (body.message ?? "").slice(0, 4_000);
  const found = CODES.find(([of, , words]) => of.test(name) && (words?.test(message) ?? true));
  return { ...body, type: body.type ?? name, code: found?.[1] ?? body.code };
}

/** The status of an exception in a stream, such as `throttlingException`. */
export function statusOfException(name: string): number {
  return STATUSES[name.replace(/Exception$/, "")] ?? 500;
}
