/**
 * An endpoint for whoever has a project key.
 *
 * @module
 */

import type * as z from "zod";
import type { Caller } from "../../../accounts/key_directory.ts";
import { validate } from "../../bodies/validate.ts";
import { callerOf } from "../../callers/authenticate.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { AppContext } from "../../context/request_context.ts";
import type { Description, Endpoint } from "./endpoint.ts";

/** A request of a known caller. */
export interface Asked<Query = unknown> {
  readonly context: AppContext;
  readonly caller: Caller;
  /** Checked; empty where the endpoint has none. */
  readonly query: Query;
}

/** What such an endpoint is made of. */
export interface KeyedSpec<Query>
  extends Pick<Endpoint, "method" | "path" | "family">, Omit<Description, "query"> {
  readonly query?: z.ZodObject & z.ZodType<Query>;
  /** Makes what answers, once. */
  readonly respond: (deps: ApiDeps) => (asked: Asked<Query>) => Response | Promise<Response>;
}

/** Makes it. */
export function keyedEndpoint<Query>(
  { method, path, family, respond, ...described }: KeyedSpec<Query>,
): Endpoint {
  const { query: schema, errors } = described;
  return {
    method,
    path,
    family,
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
