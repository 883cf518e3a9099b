/**
 * A `POST` of JSON that the engine serves: a model is called, and its answer is the answer.
 *
 * @module
 */

import type * as z from "zod";
import type { AnswerKind, StreamKind } from "../../../gateway/call_request.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { jsonBody } from "./body_kind.ts";
import { type CallFields, callRequest } from "./call_request.ts";
import type { Answer, Endpoint } from "./endpoint.ts";
import { type Arrived, repeatableEndpoint } from "./repeatable_endpoint.ts";

/** Statuses of what can go wrong with a call, its body and its caller aside. */
export const CALL_ERRORS: readonly number[] = [402, 403, 404, 422, 429, 500, 503];

/** What an answer is besides JSON where it may be a stream. */
export const STREAM_ANSWER: Pick<Answer, "types"> = { types: ["text/event-stream"] };

/** What such an endpoint is made of. */
export interface ModelSpec<Fields extends CallFields> {
  readonly path: string;
  /** Its name in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly request: z.ZodType<Fields>;
  readonly answer: z.ZodType;
  /** How the engine gets the answer in one piece. */
  readonly whole: AnswerKind;
  /** How it gets the answer as a stream, where `stream: true` asks for one. */
  readonly stream?: StreamKind;
  /** The body to forward; as it came where absent. */
  readonly forward?: (fields: Fields) => JsonObject;
}

/** Makes it. */
export function modelEndpoint<Fields extends CallFields>(
  { path, id, summary, request, answer, whole, stream, forward }: ModelSpec<Fields>,
): Endpoint {
  const bodyOf = forward === undefined
    ? ({ body }: Arrived<Fields>) => body.value as JsonObject
    : ({ fields }: Arrived<Fields>) => forward(fields);
  return repeatableEndpoint<Fields, Arrived<Fields>>({
    path,
    id,
    summary,
    callsModel: true,
    body: jsonBody(request),
    answer: { schema: answer, ...(stream !== undefined && STREAM_ANSWER) },
    errors: CALL_ERRORS,
    toRequest: (arrived) => arrived,
    serve: ({ engine }) => ({
      answer: (asked, once) => engine.answer(callRequest(asked, bodyOf(asked), once), whole),
      ...(stream !== undefined && {
        stream: (asked, once) => engine.stream(callRequest(asked, bodyOf(asked), once), stream),
      }),
    }),
  });
}
