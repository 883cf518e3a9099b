/**
 * Whose a request is: its caller, by the project key that it carries, and the place of one that calls
 * a model or is looked in.
 *
 * @module
 */

import type { Caller } from "../../accounts/key_directory.ts";
import type { Family, KeyPlace } from "../../dialects/base/dialect.ts";
import { GatewayError } from "../../errors.ts";
import type { ApiDeps, CallDeps } from "../context/api_deps.ts";
import type { AppContext } from "../context/request_context.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { hasRateLimits } from "./rate_limit_headers.ts";
import { type Permit, UNLIMITED_PERMIT } from "../../limits/permit.ts";
import { Stay } from "../../limits/stay.ts";
import { placeWhenRoom, takePlace } from "../../planning/take_permit.ts";

/** Longer values are refused unread; a key has 49 characters. */
const MOST_CHARACTERS = 256;

/**
 * The caller of a request, noted for its line in the log.
 *
 * @throws {GatewayError} `project_key_invalid` or `project_key_disabled`.
 */
export function callerOf(
  { env, req }: AppContext,
  { directory, clock }: Pick<CallDeps, "directory" | "clock">,
): Caller {
  if (env.inside !== undefined) return noted(env.inside.caller, env);
  let fault: GatewayError | undefined;
  const { keyPlaces } = env.family;
  // Clients that have a key for one place may send what another system wants in the other.
  for (const place of keyPlaces) {
    const value = IncomingRequest.header(req.raw, place.header);
    if (value === null || value === "") continue;
    const key = keyIn(value, place);
    if (key === undefined) {
      fault ??= malformed(place);
      continue;
    }
    const resolution = directory.resolve(key, clock.now());
    if (resolution.kind === "caller") {
      return noted(resolution.caller, env);
    }
    fault ??= refusalOf(resolution.kind);
  }
  const choice = keyPlaces.map(({ shown }) => `'${shown}'`).join(" or ");
  throw fault ?? invalid(`No project key was sent: send the header ${choice}`);
}

/** The keys that a request of a family carries, in the order in which they are tried. */
export function keysIn(request: Request, { keyPlaces }: Pick<Family, "keyPlaces">): string[] {
  return keyPlaces.flatMap((place) => {
    const value = IncomingRequest.header(request, place.header);
    return value === null ? [] : keyIn(value, place) ?? [];
  });
}

/** The key that a header's value carries, in the place that it is. */
export function keyIn(value: string, { pattern }: Pick<KeyPlace, "pattern">): string | undefined {
  return value.length > MOST_CHARACTERS ? undefined : pattern.exec(value)?.[1];
}

function noted(caller: Caller, { note }: Pick<AppContext["env"], "note">): Caller {
  note.projectId = caller.project.id;
  note.keyId = caller.key.id;
  return caller;
}

function malformed({ shown }: KeyPlace): GatewayError {
  const name = shown.slice(0, shown.indexOf(":"));
  return invalid(`The ${name} header is malformed: expected '${shown}'`);
}

function refusalOf(why: "unknown" | "expired" | "disabled"): GatewayError {
  switch (why) {
    case "unknown":
      return invalid(
        "This project key is not known here: check it, or ask the operator for a new one",
      );
    case "expired":
      return invalid("This project key has expired: ask the operator for a new one");
    case "disabled":
      return new GatewayError(
        "project_key_disabled",
        "This project key, or its project, is disabled: ask the operator to enable it",
      );
  }
}

function invalid(message: string): GatewayError {
  return new GatewayError("project_key_invalid", message);
}

/**
 * As {@linkcode callerOf}.
 *
 * @throws {GatewayError} `project_key_invalid` or `project_key_disabled`.
 */
export function modelCallerOf(
  context: AppContext,
  deps: Pick<CallDeps, "directory" | "clock">,
): Caller {
  const caller = callerOf(context, deps);
  if (hasRateLimits(caller)) context.env.limited = caller;
  return caller;
}

/**
 * Takes the caller's place among its requests at the same time. Whoever calls this calls
 * {@linkcode Stay.leave} when the request is answered.
 *
 * @throws {GatewayError} `pool_limit_exceeded`
 */
export function arrive(
  { limiter, bodies }: Pick<ApiDeps, "limiter" | "bodies">,
  caller: Caller,
): Stay {
  return new Stay(takePlace(limiter, caller), bodies.of(caller.project.id));
}

/** As {@linkcode arrive}, for who can wait a moment where several nodes share a limit. */
export function arriveWhenRoom(
  { limiter, bodies }: Pick<ApiDeps, "limiter" | "bodies">,
  caller: Caller,
): Stay | Promise<Stay> {
  const permit = placeWhenRoom(limiter, caller);
  const stayOf = (taken: Permit) => new Stay(taken, bodies.of(caller.project.id));
  return permit instanceof Promise ? permit.then(stayOf) : stayOf(permit);
}

/**
 * The same without a place, for a look at what is kept: who has as many calls under way as it may
 * have must still be able to ask after them, and to give them up.
 */
export function lookIn({ bodies }: Pick<ApiDeps, "bodies">, caller: Caller): Stay {
  return new Stay(UNLIMITED_PERMIT, bodies.of(caller.project.id));
}
