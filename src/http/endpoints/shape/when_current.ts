/**
 * Requests wait while it is not known whether keys, prices and limits are what they were: another node
 * may have changed them.
 *
 * @module
 */

import type { CurrentConfiguration } from "../../context/api_deps.ts";
import type { Endpoint } from "./endpoint.ts";

/** An endpoint whose requests wait, unless it answers whoever asks. */
export function whenCurrent(
  endpoint: Endpoint,
  configuration: CurrentConfiguration | undefined,
): Endpoint {
  if (configuration === undefined || endpoint.description?.isPublic === true) return endpoint;
  return {
    ...endpoint,
    handler(deps) {
      const answer = endpoint.handler(deps);
      return (context) =>
        configuration.isCurrent
          ? answer(context)
          : configuration.whenCurrent().then(() => answer(context));
    },
  };
}
