/**
 * A `POST` of JSON that the engine serves: a model is called, and its answer is the answer.
 *
 * @module
 */

import type * as z from "zod";
import type { Dialect, ModelRequestFields } from "../../../dialects/base/dialect.ts";
import type { Caller } from "../../../accounts/key_directory.ts";
import type { ClosedCall } from "../../../domain/call.ts";
import type { Tags } from "../../../domain/tags.ts";
import type { Stay } from "../../../limits/stay.ts";
import type { CallDeps } from "../../context/api_deps.ts";
import type { RequestBindings } from "../../context/request_context.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import type { AnswerKind, CallRequest, StreamKind } from "../../../gateway/call_request.ts";
import type { Serving } from "../../../providers/serve.ts";
import { tagsOf } from "../../callers/tags.ts";
import { headersOf } from "./request_headers.ts";
import { jsonBody } from "./body_kind.ts";
import type { Answer, Description, Endpoint } from "./endpoint.ts";
import { type Arrived, repeatableEndpoint } from "./repeatable_endpoint.ts";
import type { Once } from "../../idempotency/repeatable_post.ts";
import {
  forwardedBody,
  furtherModels,
  sourceWishes,
  withFirstModel,
} from "../../../dialects/base/routing_fields.ts";

/** Statuses of what can go wrong with a call, its body and its caller aside. */
export const CALL_ERRORS: readonly number[] = [402, 403, 404, 422, 429, 500, 503];

/** What an answer is besides JSON where it may be a stream. */
export const STREAM_ANSWER: Pick<Answer, "types" | "headers"> = {
  types: ["text/event-stream"],
  headers: {
    "x-tollgate-provider": { description: "Of a stream: the provider that serves it" },
    "x-tollgate-route": { description: "Of a stream: the route that serves it" },
  },
};

/** What such an endpoint is made of. */
export interface ModelSpec<Fields>
  extends Pick<Endpoint, "path" | "version">, Pick<Description, "id" | "summary"> {
  /** What is asked and answered: as streams too where it has a writer. */
  readonly dialect: Dialect & { readonly request: z.ZodType<Fields> };
  /** How a provider is asked. */
  readonly serving: Serving;
  /** Completes a body before it is checked. */
  readonly adjust?: (body: unknown) => unknown;
  /** The body to forward; as it came where absent. */
  readonly forward?: (fields: Fields) => JsonObject;
  /** Refuses what the body's schema cannot. */
  readonly check?: (arrived: Arrived<Fields>) => void;
  /** Whether answers may have texts so long that they go by way of the disk; absent: they do not. */
  readonly hasLongTexts?: true;
  /** Whether what is asked and answered is kept of projects that have it so; absent: it is not. */
  readonly keepsPrompts?: true;
}

/** Makes it. */
export function modelEndpoint<Fields extends ModelRequestFields>(
  { dialect, serving: { answer, stream }, adjust = asItIs, forward, check, ...spec }: ModelSpec<
    Fields
  >,
): Endpoint<CallDeps> {
  const { family, request, answer: schema, passedHeaders } = dialect;
  const toCall = (asked: Arrived<Fields>, once: Once) => {
    const call = callRequest(asked, bodyOf(asked), once);
    if (passedHeaders === undefined) return call;
    return { ...call, headers: headersOf(asked.context.req.raw, passedHeaders) };
  };
  const whole: AnswerKind = { dialect, invoke: answer };
  const streamed: StreamKind | undefined = dialect.writer && {
    dialect,
    invoke: stream,
    writer: ({ body }, model) => dialect.writer!(body, model),
  };
  const ownBody = forward === undefined
    ? ({ body }: Arrived<Fields>) => body.value as JsonObject
    : ({ fields }: Arrived<Fields>) => forward(fields);
  const bodyOf = (asked: Arrived<Fields>) => {
    const body = ownBody(asked);
    const { usage, stream } = asked.fields;
    return usage?.include === true && stream === true ? dialect.askUsage?.(body) ?? body : body;
  };
  return repeatableEndpoint<Fields, Arrived<Fields>, CallDeps>({
    ...spec,
    family,
    callsModel: true,
    cached: dialect.capability,
    isBatchable: true,
    body: jsonBody(request, (body) => adjust(withFirstModel(body))),
    answer: { schema, ...(streamed !== undefined && STREAM_ANSWER) },
    errors: CALL_ERRORS,
    requestHeaders: passedHeaders,
    toRequest(arrived) {
      check?.(arrived);
      return arrived;
    },
    serve: ({ engine }) => ({
      answer: (asked, once) => engine.answer(toCall(asked, once), whole),
      ...(streamed !== undefined && {
        stream: (asked, once) => engine.stream(toCall(asked, once), streamed),
      }),
    }),
  });
}

function asItIs(body: unknown): unknown {
  return body;
}

/** What is stored for the line of a batch that a request is, if it is one. */
function lineMaker({ batchLine, identity: { requestId } }: RequestBindings) {
  return batchLine === undefined
    ? undefined
    : (text: string, closed: Pick<ClosedCall, "work">) =>
      batchLine.make(text, { requestId, closed });
}

/**
 * Makes it, to be served for as long as somebody waits for its answer.
 *
 * @param body To be forwarded; fields of the gateway that are still in it are left out.
 */
export function callRequest(
  { context: { env, req }, caller, stay, fields, body: { bytes } }: Arrived<ModelRequestFields>,
  body: JsonObject,
  { signal, remember, longTexts }: Once,
): CallRequest {
  const tags = tagsOf(req.raw, fields.tags, env.inside);
  const request = askedOf({ env, caller, stay, fields, bytes, tags }, body);
  return { ...request, batchLine: lineMaker(env), signal, remember, longTexts };
}

/** What a request asks for, whoever waits for its answer. */
export function askedOf(
  { env, caller, stay, fields, bytes, tags }: {
    readonly env: RequestBindings;
    readonly caller: Caller;
    readonly stay: Stay;
    readonly fields: ModelRequestFields;
    /** Of the body. */
    readonly bytes: number;
    readonly tags: Tags | undefined;
  },
  body: JsonObject,
): Omit<CallRequest, "signal"> {
  return {
    identity: env.identity,
    caller,
    stay,
    note: env.note,
    batchId: env.batchLine?.batchId,
    model: fields.model,
    furtherModels: furtherModels(fields),
    wishes: sourceWishes(fields),
    tellsCost: fields.usage?.include === true,
    tags,
    body: forwardedBody(body),
    bodyBytes: bytes,
    arrivedAt: env.arrivedAt,
  };
}
