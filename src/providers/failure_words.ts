/**
 * A failure of a request in one line, for operators.
 *
 * @module
 */

import type { UpstreamError } from "../domain/upstream_error.ts";

/** The message with the cause's, where that says something more. */
export function failureWords({ message, cause }: UpstreamError): string {
  const isMore = cause instanceof Error && !message.includes(cause.message);
  return isMore ? `${message}: ${cause.message}` : message;
}
