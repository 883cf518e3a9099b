/**
 * What errors of every dialect say of the routes that were considered.
 *
 * @module
 */

import * as z from "zod";

/** There on routing refusals only. Made anew at each call: who asks keeps it. */
export function refusedRoutes() {
  return z.array(z.object({
    route: z.string(),
    provider: z.string(),
    reason: z.string(),
    detail: z.string().optional(),
  })).optional().describe("Why each configured route does not serve this request");
}
