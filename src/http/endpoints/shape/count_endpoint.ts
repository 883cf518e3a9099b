/**
 * A `POST` of JSON that asks how many tokens a prompt has. No model is called and nothing is charged.
 *
 * @module
 */

import type * as z from "zod";
import type { Dialect, ModelRequestFields } from "../../../dialects/base/dialect.ts";
import type { CallRequest } from "../../../gateway/call_request.ts";
import { countTokens, type TokenCount } from "../../../gateway/count_tokens.ts";
import { jsonResponse } from "../../answers/text_response.ts";
import { arriveWhenRoom, modelCallerOf } from "../../callers/authenticate.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { Once } from "../../idempotency/repeatable_post.ts";
import type { ParsedBody } from "../../bodies/read_body.ts";
import { serveGuarded } from "./serve_guarded.ts";
import type { BodyKind } from "./body_kind.ts";
import type { Description, Endpoint } from "./endpoint.ts";
import type { Arrived } from "./repeatable_endpoint.ts";

/** What such an endpoint is made of. */
export interface CountSpec<Fields> extends Pick<Endpoint, "path">, Pick<Description, "id"> {
  /** That of the requests whose prompts are counted. */
  readonly dialect: Dialect;
  readonly body: BodyKind<Fields>;
  readonly answer: z.ZodType;
  /** The request whose prompt is counted. */
  readonly toCall: (
    deps: ApiDeps,
  ) => (arrived: Arrived<Fields>, once: Once) => CallRequest | Promise<CallRequest>;
  readonly tell: (count: TokenCount) => object;
}

/** Makes it. */
export function countEndpoint<Fields extends ModelRequestFields>(
  { path, id, dialect, body: kind, answer: schema, toCall, tell }: CountSpec<Fields>,
): Endpoint {
  const { family, passedHeaders } = dialect;
  return {
    method: "POST",
    path,
    family,
    description: {
      id,
      summary: "How many tokens a prompt has: by the upstream where it tells, else by an estimate",
      callsModel: true,
      requestHeaders: passedHeaders,
      request: kind.request,
      answer: { schema },
      errors: [400, 401, ...kind.errors, 403, 404, 429, 500, 503],
    },
    handler(deps) {
      const read = kind.reader(deps);
      const callOf = toCall(deps);
      return async (context) => {
        const { req: { raw }, env } = context;
        const caller = modelCallerOf(context, deps);
        const arriving = arriveWhenRoom(deps, caller);
        const stay = arriving instanceof Promise ? await arriving : arriving;
        try {
          const body = await read(raw, stay, caller);
          const fields = kind.check(body.value);
          env.note.model = fields.model;
          const arrival = { context, caller, stay };
          const respond = async (asked: ParsedBody, checked: Fields) => {
            const arrived = { ...arrival, body: asked, fields: { ...checked, stream: false } };
            const request = await callOf(arrived, { signal: raw.signal, remember: undefined });
            const count = await countTokens(deps.counting, { dialect, request });
            return jsonResponse(tell(count), env.identity.requestId);
          };
          if (deps.guard === undefined) return await respond(body, fields);
          const post = { ...arrival, path, model: fields.model, stream: false, body: body.value };
          // A prompt that is counted goes to the upstream, too.
          return await serveGuarded(
            deps.guard,
            deps,
            post,
            (value) =>
              value === body.value
                ? respond(body, fields)
                : respond({ ...body, value }, kind.check(value)),
          );
        } finally {
          stay.leave();
        }
      };
    },
  };
}
