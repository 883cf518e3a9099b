/**
 * The one error class of the gateway and the one table that gives each error
 * its HTTP status, code and type. Nothing else sets a status.
 *
 * @module
 */

/** One row of the table: how an error looks to a caller. */
export interface ErrorRow {
  readonly status: number;
  /** `error.code` on the wire. */
  readonly code: string;
  /** `error.type` on the wire, in OpenAI's vocabulary. */
  readonly type: string;
  /** Sends `x-should-retry: false`, which OpenAI's SDKs obey. */
  readonly neverRetry?: true;
  /** Sends `Retry-After`, in whole seconds from 1 to 60. */
  readonly retryAfter?: true;
}

const INVALID = "invalid_request_error";
const SERVER = "server_error";

/** Every error the gateway answers with, by name. */
export const ERROR_TABLE = {
  // Platform codes: section 7 of the service specification.
  project_key_invalid: row(401, "PROJECT_KEY_INVALID", "authentication_error"),
  project_key_disabled: row(
    401,
    "PROJECT_KEY_DISABLED",
    "authentication_error",
  ),
  model_not_allowed: row(403, "MODEL_NOT_ALLOWED", "permission_error"),
  // Administration alone: whoever asks is known, and of another role.
  role_not_allowed: row(403, "ROLE_NOT_ALLOWED", "permission_error"),
  route_not_selectable: row(400, "ROUTE_NOT_SELECTABLE", INVALID),
  no_such_route: row(404, "NO_AVAILABLE_ROUTE", INVALID),
  no_route_now: row(503, "NO_AVAILABLE_ROUTE", SERVER, { retryAfter: true }),
  insufficient_balance: row(402, "INSUFFICIENT_BALANCE", "insufficient_quota", {
    neverRetry: true,
  }),
  pool_limit_exceeded: row(429, "POOL_LIMIT_EXCEEDED", "rate_limit_error", {
    retryAfter: true,
  }),
  // One request alone asks for more than a limit: no repeat will ever fit.
  request_over_limit: row(429, "POOL_LIMIT_EXCEEDED", "rate_limit_error", {
    neverRetry: true,
    retryAfter: true,
  }),
  provider_unavailable: row(
    503,
    "PROVIDER_TEMPORARILY_UNAVAILABLE",
    SERVER,
    { retryAfter: true },
  ),
  // OpenAI's own codes.
  model_not_found: row(404, "model_not_found", INVALID),
  invalid_json: row(400, "invalid_json", INVALID),
  missing_required_parameter: row(400, "missing_required_parameter", INVALID),
  invalid_value: row(400, "invalid_value", INVALID),
  not_supported: row(400, "not_supported", INVALID),
  invalid_encrypted_content: row(400, "invalid_encrypted_content", INVALID),
  unsupported_content_type: row(415, "unsupported_content_type", INVALID),
  unsupported_content_encoding: row(415, "unsupported_content_encoding", INVALID),
  request_too_large: row(413, "request_too_large", INVALID),
  malformed_request: row(400, "malformed_request", INVALID),
  request_head_too_large: row(431, "request_head_too_large", INVALID),
  http_version_not_supported: row(505, "http_version_not_supported", INVALID),
  method_not_allowed: row(405, "method_not_allowed", INVALID),
  not_found: row(404, "not_found", INVALID),
  conflict: row(400, "conflict", INVALID),
  // Administration alone, whose clients read again what they were about to change.
  version_conflict: row(409, "conflict", INVALID),
  precondition_failed: row(412, "precondition_failed", INVALID),
  range_not_satisfiable: row(416, "range_not_satisfiable", INVALID),
  // Never 409 or 408 for a video that is not ready: SDKs would retry.
  video_not_found: row(404, "video_not_found", INVALID),
  video_not_ready: row(400, "video_not_ready", INVALID),
  response_not_found: row(404, "response_not_found", INVALID),
  previous_response_not_found: row(400, "previous_response_not_found", INVALID),
  idempotency_key_reused: row(400, "idempotency_key_reused", INVALID),
  idempotent_answer_not_kept: row(400, "idempotent_answer_not_kept", INVALID),
  kept_quota_reached: row(400, "kept_quota_reached", INVALID),
  storage_full: row(503, "storage_full", SERVER, {
    neverRetry: true,
    retryAfter: true,
  }),
  storage_away: row(503, "storage_away", SERVER, { retryAfter: true }),
  films_away: row(503, "films_away", SERVER, { retryAfter: true }),
  reading_failed: row(503, "reading_failed", SERVER, { retryAfter: true }),
  shutting_down: row(503, "shutting_down", SERVER, { retryAfter: true }),
  // What the operator's guard says of a request, or of an answer that was made.
  refused_by_guard: row(403, "refused_by_guard", INVALID),
  guard_unavailable: row(503, "guard_unavailable", SERVER, { retryAfter: true }),
  upstream_error: row(502, "upstream_error", SERVER),
  // A caller's fault as the upstream sees it: its status, code and message pass through.
  upstream_rejected_400: row(400, "invalid_request", INVALID),
  upstream_rejected_403: row(403, "content_policy_violation", INVALID),
  upstream_rejected_413: row(413, "request_too_large", INVALID),
  upstream_rejected_422: row(422, "unprocessable_entity", INVALID),
  internal_error: row(500, "internal_error", SERVER),
  // Never seen by a caller, who is gone: for the log, as nginx does.
  client_closed_request: row(499, "client_closed_request", INVALID),
} as const satisfies Record<string, ErrorRow>;

/** The name of a row of {@linkcode ERROR_TABLE}. */
export type ErrorName = keyof typeof ERROR_TABLE;

/** Of {@linkcode RouteReason} those that time alone does not lift. */
export type ConstraintReason =
  | "provider_not_requested"
  | "route_not_requested"
  | "fallback_not_allowed"
  | "not_official"
  | "risk_level_excluded"
  | "price_above_max"
  | "parameter_not_kept"
  | "provider_kind_unknown"
  | "endpoint_not_supported"
  | "streaming_not_supported"
  | "tools_not_supported"
  | "vision_not_supported"
  | "json_schema_not_supported"
  | "context_too_long"
  | "output_too_long"
  | "size_not_offered"
  | "seconds_not_offered"
  | "field_not_passed"
  | "unpriced"
  | "request_too_large";

/** Why a configured route does not serve a request: the closed list of `error.routes[].reason`. */
export type RouteReason =
  | ConstraintReason
  | "disabled"
  | "maintenance"
  | "cooling_down"
  | "circuit_open"
  | "at_capacity"
  | "balance_too_low"
  | "attempt_failed"
  | "attempt_refused";

/** One entry of `error.routes`. */
export interface RouteRefusal {
  readonly route: string;
  readonly provider: string;
  readonly reason: RouteReason;
  /** Figures or names that decided, fit for the caller's eyes. */
  readonly detail?: string;
}

/** What a {@linkcode GatewayError} is made of. */
export interface GatewayErrorOptions {
  /** Path of the offending field, such as `source_policy.exclude_risk_levels`. */
  readonly param?: string | undefined;
  /** Seconds until a retry may succeed; clamped to 1..60 on the wire. */
  readonly retryAfterSeconds?: number | undefined;
  /** Replaces the row's code where an upstream's own code passes through. */
  readonly upstreamCode?: string | undefined;
  /** Why each route was left out. */
  readonly routes?: readonly RouteRefusal[] | undefined;
  /** Methods allowed on the path, for 405. */
  readonly allow?: string | undefined;
  /** `Content-Range` for 416, which tells how long the file is. */
  readonly contentRange?: string | undefined;
  /** An upstream's own body, which callers of its family get as it is. */
  readonly verbatim?: VerbatimError | undefined;
  /** What decided, in a word for operators, such as `project_requests_per_minute`: of a closed list. */
  readonly why?: string | undefined;
  /** For the log only; never shown to callers. */
  readonly cause?: unknown;
}

/** The body of an upstream's error, byte for byte. */
export interface VerbatimError {
  /** Name of the family whose errors look so. */
  readonly family: string;
  readonly text: string;
}

/** An error that a caller sees: its message is public, its cause is not. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly error: ErrorName;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;
  readonly upstreamCode: string | undefined;
  readonly routes: readonly RouteRefusal[] | undefined;
  readonly allow: string | undefined;
  readonly contentRange: string | undefined;
  readonly verbatim: VerbatimError | undefined;
  readonly why: string | undefined;

  constructor(
    error: ErrorName,
    message: string,
    options: GatewayErrorOptions = {},
  ) {
    super(
      message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.error = error;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.upstreamCode = options.upstreamCode;
    this.routes = options.routes;
    this.allow = options.allow;
    this.contentRange = options.contentRange;
    this.verbatim = options.verbatim;
    this.why = options.why;
  }

  /** The row of {@linkcode ERROR_TABLE} for this error. */
  get row(): ErrorRow {
    return ERROR_TABLE[this.error];
  }

  /** `error.code` on the wire. */
  get code(): string {
    return this.upstreamCode ?? this.row.code;
  }
}

function row(
  status: number,
  code: string,
  type: string,
  flags: { neverRetry?: true; retryAfter?: true } = {},
): ErrorRow {
  return { status, code, type, ...flags };
}
