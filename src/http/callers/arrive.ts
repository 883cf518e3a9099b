/**
 * The beginning of a request that may have a body or an answer of any size: whose it is has been
 * checked, and nothing of its body was read.
 *
 * @module
 */

import type { Caller } from "../../accounts/key_directory.ts";
import { UNLIMITED_PERMIT } from "../../limits/permit.ts";
import { Stay } from "../../limits/stay.ts";
import { takePlace } from "../../planning/take_permit.ts";
import type { ApiDeps } from "../context/api_deps.ts";

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

/**
 * The same without a place, for a look at what is kept: who has as many calls under way as it may
 * have must still be able to ask after them, and to give them up.
 */
export function lookIn({ bodies }: Pick<ApiDeps, "bodies">, caller: Caller): Stay {
  return new Stay(UNLIMITED_PERMIT, bodies.of(caller.project.id));
}
