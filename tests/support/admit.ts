/**
 * Admission in one step, as a request has it that nobody keeps waiting in between.
 *
 * @module
 */

import type { Admission, Limiter, LimitSubject } from "../../src/limits/limiter.ts";

/** Takes a place and counts; what is refused by a limit per minute gives its place back. */
export function admit(
  limiter: Limiter,
  subjects: readonly LimitSubject[],
  tokens: number,
): Admission {
  const admission = limiter.enter(subjects);
  if (admission.kind === "refused") return admission;
  const refusal = limiter.count(admission.permit, subjects, tokens);
  if (refusal === undefined) return admission;
  admission.permit.withdraw();
  return { kind: "refused", ...refusal };
}
