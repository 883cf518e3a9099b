/**
 * An endpoint for whoever has a project key.
 *
 * @module
 */

import * as z from "zod";
import type { Caller } from "../../../accounts/key_directory.ts";
import { validate } from "../../bodies/validate.ts";
import { callerOf } from "../../callers/authenticate.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { AppContext } from "../../context/request_context.ts";
import { type AnswerHeaders, type Description, type Endpoint, fixedHeaders } from "./endpoint.ts";
import { jsonResponse } from "../../answers/text_response.ts";

/** A request of a known caller. */
export interface Asked<Query = unknown> {
  readonly context: AppContext;
  readonly caller: Caller;
  /** Checked; empty where the endpoint has none. */
  readonly query: Query;
}

/** What such an endpoint is made of. */
export interface KeyedSpec<Query>
  extends Pick<Endpoint, "method" | "path" | "family" | "familyOf">, Omit<Description, "query"> {
  readonly query?: z.ZodType<Query>;
  /** Makes what answers, once. */
  readonly respond: (deps: ApiDeps) => (asked: Asked<Query>) => Response | Promise<Response>;
}

/** Makes it. */
export function keyedEndpoint<Query>(
  { method, path, family, familyOf, respond, ...described }: KeyedSpec<Query>,
): Endpoint {
  const { query: schema, errors } = described;
  return {
    method,
    path,
    family,
    ...(familyOf !== undefined && { familyOf }),
    description: { ...described, errors: [401, ...errors] },
    handler(deps) {
      const answer = respond(deps);
      return (context) => {
        const caller = callerOf(context, deps);
        const query = schema === undefined
          ? {} as Query
          : validate<Query>(schema, context.req.query());
        return answer({ context, caller, query });
      };
    },
  };
}

/** What such an endpoint is made of. */
export interface JsonSpec<Query, Told>
  extends Omit<KeyedSpec<Query>, "method" | "answer" | "respond"> {
  /** `GET` by default. */
  readonly method?: Endpoint["method"];
  readonly answer: z.ZodType<Told>;
  readonly answerHeaders?: AnswerHeaders;
  /** Makes what tells it, once. */
  readonly tell: (deps: ApiDeps) => (asked: Asked<Query>) => Told | Promise<Told>;
}

/** Makes it. */
export function jsonEndpoint<Query, Told>(
  { method = "GET", answer: schema, answerHeaders, tell, ...spec }: JsonSpec<Query, Told>,
): Endpoint {
  const headers = fixedHeaders(answerHeaders);
  return keyedEndpoint<Query>({
    ...spec,
    method,
    answer: { schema, headers: answerHeaders },
    respond(deps) {
      const told = tell(deps);
      return async (asked) =>
        jsonResponse(await told(asked), asked.context.env.identity.requestId, 200, headers);
    },
  });
}

/** An endpoint that deletes something of the caller's project, by its id. */
export function deletingEndpoint<Name extends string>(
  { object, remove, ...spec }: Pick<JsonSpec<unknown, unknown>, "path" | "id" | "summary"> & {
    /** What OpenAI calls it. */
    readonly object: Name;
    /** @throws {GatewayError} When there is none. */
    readonly remove: (
      deps: ApiDeps,
      one: { readonly projectId: string; readonly id: string },
    ) => Promise<void>;
  },
): Endpoint {
  return jsonEndpoint({
    ...spec,
    method: "DELETE",
    answer: z.lazy(() =>
      z.object({ id: z.string(), object: z.literal(object), deleted: z.literal(true) })
    ),
    errors: [404, 503],
    tell: (deps) => async ({ context, caller: { project } }) => {
      const id = context.req.param("id")!;
      await remove(deps, { projectId: project.id, id });
      return { id, object, deleted: true as const };
    },
  });
}
