/**
 * A path that other gateways or OpenAI have, refused by name: clients are told more than that
 * there is nothing.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import { callerOf } from "../../callers/authenticate.ts";
import type { Endpoint } from "./endpoint.ts";

/** Makes the endpoint, of which no document tells. `message` says what to do instead. */
export function refusedEndpoint(
  { method, path, message }: Pick<Endpoint, "method" | "path"> & { readonly message: string },
): Endpoint {
  return {
    method,
    path,
    handler: (deps) => (context) => {
      callerOf(context, deps);
      throw new GatewayError("not_supported", message);
    },
  };
}
