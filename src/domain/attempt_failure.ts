/**
 * How an attempt at an upstream fails, and what each means to routing.
 *
 * @module
 */

/**
 * - `caller`: the request itself is wrong (400, 413, 422, content policy): no retry, message passes through.
 * - `operator`: key, account or model name are wrong beyond doubt: fall back, cool the route 60 s.
 * - `doubtful`: refused (401, 402, 403, 404 …) without a word that says whose fault it is: fall back; the
 *   route cools once another project meets the same.
 * - `oversized`: larger than this upstream takes now (tokens per minute, credit): fall back; says nothing of the route.
 * - `busy`: 429 or 503 with Retry-After: fall back, cool the route as long; never counts as breakage.
 * - `broken`: 5xx, connect or time limit, wrong content, cut: retry or fall back; counts for the breaker.
 * - `starved`: this process had no descriptor left for a connection: retry or fall back; says nothing of the route.
 * - `aborted`: we closed it ourselves (client gone, shutdown): no sample.
 */
export type AttemptFailure =
  | "caller"
  | "operator"
  | "doubtful"
  | "oversized"
  | "busy"
  | "broken"
  | "starved"
  | "aborted";
