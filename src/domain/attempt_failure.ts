/**
 * How an attempt at an upstream fails; what each means to routing is told by the
 * provider contract.
 *
 * @module
 */

/** See the module's text. */
export type AttemptFailure =
  | "caller"
  | "operator"
  | "doubtful"
  | "oversized"
  | "busy"
  | "broken"
  | "starved"
  | "aborted";
