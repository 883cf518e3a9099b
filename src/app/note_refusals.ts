/**
 * Tells the book of refusals of requests that asked for a call and came to none.
 *
 * @module
 */

import { leftOutOf } from "../routing/decision.ts";
import type { CatalogueHolder } from "../catalog/snapshot.ts";
import { wordsOf } from "../dialects/request_words.ts";
import { type Capability, CAPABILITY_NAMES } from "../domain/capabilities.ts";
import type { CallFinder } from "../domain/ids.ts";
import type { GatewayError } from "../errors.ts";
import type { RequestRecord } from "../http/context/api_deps.ts";
import type { RefusalBook } from "../metering/refusal_book.ts";

/** Which endpoint a path is of, whatever stands before it. */
const CAPABILITY_BY_PATH: ReadonlyMap<string, Capability> = new Map(
  CAPABILITY_NAMES.map((name) => [wordsOf(name).path, name]),
);
const PREFIX = /^(?:\/api\/gateway)?\/v\d+(?=\/)/;
/** What callers write in the place of a model's name may be anything. */
const LIKE_A_NAME = /^[\w.:@/+-]{1,100}$/;
/** A key in the wrong field: by how many begin, or by so many characters on end as no name has. */
const LIKE_A_KEY = /^(sk-|at-tg-|gsk_|xai-|AIza|hf_|eyJ)|[A-Za-z0-9]{24}/;
/** Of the APIs' own: short words, with places in lists. */
const LIKE_A_FIELD = /^[a-z_]{1,32}(?:\[\d{0,6}\])*$|^\d{1,6}$/;
const MOST_MESSAGE = 300;
const MOST_PARAM = 100;

/** The gateway's own words on who may call what, and on what there is: nothing of the request is in them. */
const TELLING: ReadonlySet<GatewayError["error"]> = new Set<GatewayError["error"]>([
  "project_key_invalid",
  "project_key_disabled",
  "model_not_allowed",
  "no_such_route",
  "no_route_now",
  "insufficient_balance",
  "pool_limit_exceeded",
  "request_over_limit",
  "provider_unavailable",
  "kept_quota_reached",
  "storage_full",
  "shutting_down",
  "guard_unavailable",
]);

/** Notes a request that was refused; any other one leaves no trace here. */
export function noteRefusal(
  record: RequestRecord,
  { refusals, catalogue, requestIds }: {
    readonly refusals: Pick<RefusalBook, "note">;
    readonly catalogue: Pick<CatalogueHolder, "current">;
    readonly requestIds: CallFinder;
  },
): void {
  const { requestId, status, method, path, note } = record;
  const { refusal } = note;
  if (refusal === undefined || method !== "POST") return;
  // What broke is in the log, and whoever left was refused nothing.
  if (status === 500 || status === 499) return;
  // A call whose end could not be written is among the calls, as soon as it can be.
  if (note.hasBegun === true) return;
  const capability = CAPABILITY_BY_PATH.get(path.replace(PREFIX, ""));
  const callId = requestIds.callIdOf(requestId);
  if (capability === undefined || callId === undefined) return;
  const { model: asked = "" } = note;
  const known = catalogue.current.model(asked);
  refusals.note({
    callId,
    requestId,
    projectId: note.projectId ?? "",
    keyId: note.keyId ?? "",
    capability,
    model: LIKE_A_NAME.test(asked) && (known !== undefined || !LIKE_A_KEY.test(asked)) ? asked : "",
    knownModel: known?.id ?? "",
    reason: refusal.code,
    why: refusal.why ?? commonReason(refusal),
    status,
    param: fieldOf(refusal.param ?? ""),
    message: TELLING.has(refusal.error) ? refusal.message.slice(0, MOST_MESSAGE) : "",
    leftOut: refusal.routes && leftOutOf(refusal.routes, (id) => catalogue.current.route(id)),
  });
}

/**
 * The field at fault as far as it is named as fields are: callers may have fields of any name, such as
 * a text in the wrong place.
 */
function fieldOf(param: string): string {
  const path = param.slice(0, MOST_PARAM).split(".");
  const end = path.findIndex((part) => !LIKE_A_FIELD.test(part));
  return (end < 0 ? path : path.slice(0, end)).join(".");
}

/** Why all routes were left out, or that it was for several reasons. */
function commonReason({ routes = [] }: GatewayError): string {
  const reasons = new Set(routes.map(({ reason }) => reason));
  return reasons.size > 1 ? "several" : [...reasons][0] ?? "";
}
