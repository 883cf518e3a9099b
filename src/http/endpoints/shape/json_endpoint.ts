/**
 * An endpoint for whoever has a project key, which tells something as JSON.
 *
 * @module
 */

import type * as z from "zod";
import { jsonResponse } from "../../answers/json_response.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { type AnswerHeaders, type Endpoint, fixedHeaders } from "./endpoint.ts";
import { type Asked, keyedEndpoint, type KeyedSpec } from "./keyed_endpoint.ts";

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
