/**
 * The body of every error, in OpenAI's shape.
 *
 * @module
 */

import * as z from "zod";

/** `error.routes` is there on routing refusals only. */
export const errorBodySchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
    routes: z.array(z.object({
      route: z.string(),
      provider: z.string(),
      reason: z.string(),
      detail: z.string().optional(),
    })).optional().describe("Why each configured route does not serve this request"),
  }),
});
