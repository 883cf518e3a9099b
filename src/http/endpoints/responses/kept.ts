/**
 * `GET` and `DELETE /v1/responses/{id}`, `POST /v1/responses/{id}/cancel`: answers that are kept, read
 * for their project at its own expense.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import { isLong, textInPieces } from "../../../idempotency/text_parts.ts";
import { guardKept } from "../shape/serve_guarded.ts";
import { jsonTextResponse, stayingParts } from "../../answers/text_response.ts";
import { lookIn } from "../../callers/authenticate.ts";
import { responseViewSchema } from "../../../dialects/openai_responses/schemas.ts";
import { deletingEndpoint, keyedEndpoint } from "../shape/keyed_endpoint.ts";
import { NO_BODY } from "../shape/body_kind.ts";
import { repeatableEndpoint } from "../shape/repeatable_endpoint.ts";
import type { Caller } from "../../../accounts/key_directory.ts";
import type { StoredResponse } from "../../../domain/stored_response.ts";
import { awaitTurn } from "../../../limits/await_turn.ts";
import type { Stay } from "../../../limits/stay.ts";
import { countWhenRoom, placeWhenRoom } from "../../../planning/take_permit.ts";
import type { ApiDeps } from "../../context/api_deps.ts";

export const retrieveResponse = keyedEndpoint({
  method: "GET",
  path: "/responses/{id}",
  id: "retrieveResponse",
  summary: "An answer that is kept",
  answer: { schema: responseViewSchema },
  errors: [400, 403, 404, 503],
  respond: (deps) => async ({ context, caller }) => {
    const { env, req } = context;
    if (req.query("stream") === "true") {
      throw new GatewayError(
        "not_supported",
        "'stream' is not supported here: ask again until the status is no longer 'queued' or 'in_progress'",
        { param: "stream" },
      );
    }
    const stay = lookIn(deps, caller);
    try {
      const { body } = await findKept(deps, { id: req.param("id")!, caller, stay });
      const content = isLong(body.length) ? stayingParts(textInPieces(body), stay) : body;
      const response = jsonTextResponse(content, env.identity.requestId);
      const path = `/responses/${req.param("id")}`;
      return await guardKept(deps, { context, caller, stay, path }, response);
    } finally {
      stay.leave();
    }
  },
});

export const deleteResponse = deletingEndpoint({
  path: "/responses/{id}",
  id: "deleteResponse",
  summary: "Delete a kept answer",
  object: "response",
  async remove({ responses }, { projectId, id }) {
    if (!await responses.remove(projectId, id)) throw responseNotFound();
  },
});

export const cancelResponse = repeatableEndpoint({
  path: "/responses/{id}/cancel",
  id: "cancelResponse",
  summary: "Give up an answer that is being made in the background",
  callsModel: false,
  tellsKept: true,
  body: NO_BODY,
  answer: { schema: responseViewSchema },
  errors: [404, 429, 503],
  toRequest: ({ context, caller, stay }) => ({ id: context.req.param("id")!, caller, stay }),
  serve: (deps) => ({
    async answer(question, { remember }) {
      await countKept(deps, question);
      const { id, caller: { project } } = question;
      const kept = await deps.responses.cancel(project.id, id, remember);
      if (kept === undefined) throw responseNotFound();
      return kept.body;
    },
  }),
});

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
    stay.enter(await placeWhenRoom(limiter, caller));
    await countWhenRoom(limiter, { caller, permit: stay.permit, tokens: 0 });
  }
  stay.reserve(bytes);
  await awaitTurn(stay, bytes);
}

/** The one answer for deleted, expired, foreign and never existing responses. */
function responseNotFound(): GatewayError {
  return new GatewayError(
    "response_not_found",
    "There is no such response: it was not stored, is deleted, has expired, or made way for newer ones",
  );
}
