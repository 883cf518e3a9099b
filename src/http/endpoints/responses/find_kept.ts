/**
 * Reads a kept answer for its project, at the project's own expense.
 *
 * @module
 */

import type { Caller } from "../../../accounts/key_directory.ts";
import type { StoredResponse } from "../../../domain/stored_response.ts";
import { GatewayError } from "../../../errors.ts";
import { isLong } from "../../../idempotency/text_parts.ts";
import { awaitTurn } from "../../../limits/await_turn.ts";
import type { Stay } from "../../../limits/stay.ts";
import { countRequest, takePlace } from "../../../planning/take_permit.ts";
import type { ApiDeps } from "../../context/api_deps.ts";

/** Which answer, and who asks. */
export interface KeptQuestion {
  readonly id: string;
  readonly caller: Caller;
  readonly stay: Stay;
}

/**
 * The answer, counted by {@linkcode countKept}.
 *
 * @throws {GatewayError} `response_not_found` or `pool_limit_exceeded`.
 */
export async function findKept(
  deps: Pick<ApiDeps, "responses" | "limiter">,
  question: KeptQuestion,
): Promise<StoredResponse> {
  await countKept(deps, question);
  const kept = await deps.responses.find(question.caller.project.id, question.id);
  if (kept === undefined) throw responseNotFound();
  return kept;
}

/**
 * Counts an answer that is about to be read: its bytes like a body's, which has its turn. A long one
 * takes a place and counts as a request; to look whether an answer has ended costs nothing.
 *
 * @throws {GatewayError} `response_not_found` or `pool_limit_exceeded`.
 */
export async function countKept(
  { responses, limiter }: Pick<ApiDeps, "responses" | "limiter">,
  { id, caller, stay }: KeptQuestion,
): Promise<void> {
  const bytes = await responses.size(caller.project.id, id);
  if (bytes === undefined) throw responseNotFound();
  if (isLong(bytes)) {
    stay.enter(takePlace(limiter, caller));
    countRequest(limiter, { caller, permit: stay.permit, tokens: 0 });
  }
  stay.reserve(bytes);
  await awaitTurn(stay, bytes);
}

/** The one answer for deleted, expired, foreign and never existing responses. */
export function responseNotFound(): GatewayError {
  return new GatewayError(
    "response_not_found",
    "There is no such response: it was not stored, is deleted, has expired, or made way for newer ones",
  );
}
