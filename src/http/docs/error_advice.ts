/**
 * What to do about each error: for whoever meets it, in the reference.
 *
 * @module
 */

import type { ErrorName } from "../../errors.ts";

const SAY_WHAT_IT_NAMES = "Change what the message names.";
const TRY_AGAIN = "Try again after `Retry-After`.";

/** By the name of the error's row. An error without one does not compile. */
export const ERROR_ADVICE: Readonly<Record<ErrorName, string>> = {
  project_key_invalid: "Send a project key that exists, as bearer or as `x-api-key`.",
  project_key_disabled: "The key is disabled or has expired: `tollgate keys enable`, or a new one.",
  model_not_allowed: "`tollgate projects set ID --models …` or `keys set` allows it.",
  role_not_allowed: "Use a token of a role that may; [roles](../administration.md).",
  route_not_selectable: "Leave `provider` and `route` out, or name one that serves the model.",
  no_such_route: "`error.routes` says why none fits; `tollgate routes explain` too.",
  no_route_now: `\`error.routes\` says why none serves now. ${TRY_AGAIN}`,
  insufficient_balance:
    "`tollgate projects credit ID AMOUNT`; after a budget or a brake `projects resume` or `keys resume`.",
  pool_limit_exceeded: `${TRY_AGAIN} The message names the limit.`,
  request_over_limit: "Ask for less: this request alone is over the limit.",
  provider_unavailable: `\`error.routes\` has what was tried. ${TRY_AGAIN}`,
  model_not_found: "`GET /v1/models` lists those that the key may use.",
  invalid_json: "Send one JSON object in UTF-8.",
  missing_required_parameter: "Add the field that `param` names.",
  invalid_value: SAY_WHAT_IT_NAMES,
  not_supported: "Leave it out, or ask a route that has it: `tollgate routes explain`.",
  invalid_encrypted_content: "Send the thoughts as they were given, or leave them out.",
  unsupported_content_type: "Send the content type that the endpoint takes.",
  unsupported_content_encoding: "Send the body as it is, without compression.",
  request_too_large: "Send less; `--max-json-body-bytes` and its like are the bounds.",
  malformed_request: "The request is no HTTP: look at the client or the proxy.",
  request_head_too_large: "Send fewer or shorter headers.",
  http_version_not_supported: "Speak HTTP/1.1.",
  method_not_allowed: "Use a method that `Allow` names.",
  not_found: "`GET /openapi.json` lists all paths.",
  conflict: SAY_WHAT_IT_NAMES,
  version_conflict: "Read it again, then make the change to what it is now.",
  precondition_failed: "Read it again: it is another one than the request names.",
  range_not_satisfiable: "`Content-Range` says how long the file is.",
  video_not_found: "`GET /v1/videos` lists the project's films.",
  video_not_ready: "Ask after its status until it is `completed`.",
  response_not_found: "It was deleted, is older than it is kept, or is another project's.",
  previous_response_not_found: "Send the whole conversation as `input`.",
  idempotency_key_reused: "Use a new key for another request.",
  idempotent_answer_not_kept:
    "The call was made and its answer was too large to keep: use a new key.",
  kept_quota_reached: "`tollgate projects set ID --kept-bytes …`, or delete kept answers.",
  storage_full: "The operator makes room on the disk or raises a quota: `tollgate doctor`.",
  films_away:
    `The bucket that has the films does not answer, or not as it should: \`tollgate doctor\`. ${TRY_AGAIN}`,
  storage_away: `The database's server does not answer: \`tollgate doctor\`. ${TRY_AGAIN}`,
  reading_failed: TRY_AGAIN,
  shutting_down: TRY_AGAIN,
  refused_by_guard: "The operator's guard refused it; the message is the guard's.",
  guard_unavailable: `The operator's guard does not answer. ${TRY_AGAIN}`,
  upstream_error: "The upstream's answer was no answer: `tollgate calls show REQUEST_ID`.",
  upstream_rejected_400: "The upstream refused the request itself: its message says why.",
  upstream_rejected_403: "The upstream's policy refused the content.",
  upstream_rejected_413: "Send less: the upstream has a smaller bound.",
  upstream_rejected_422: "The upstream refused the request itself: its message says why.",
  internal_error: "A fault of the gateway: its log has the cause by the request id.",
  client_closed_request: "In the log alone: the caller has gone.",
};
