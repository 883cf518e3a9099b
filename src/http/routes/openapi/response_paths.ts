/**
 * The paths of the Responses API, as the API's document tells them.
 *
 * @module
 */

import * as z from "zod";
import { responseRequest } from "../../schemas/response_request.ts";
import { inputItemListSchema, responseViewSchema } from "../../schemas/response_view.ts";
import { inputItemsQuery } from "../responses/kept_response.ts";
import type { PathSpec } from "./path_spec.ts";

/** In the order of the document. */
export const RESPONSE_PATHS: readonly PathSpec[] = [
  {
    method: "post",
    path: "/responses",
    id: "createResponse",
    summary: "Answer in a conversation, at once, as a stream or in the background",
    request: responseRequest,
    answer: responseViewSchema,
    streams: true,
    errors: [400, 401, 402, 403, 404, 413, 415, 422, 429, 500, 503],
  },
  {
    method: "get",
    path: "/responses/{id}",
    id: "retrieveResponse",
    summary: "An answer that is kept",
    answer: responseViewSchema,
    errors: [400, 401, 404],
  },
  {
    method: "delete",
    path: "/responses/{id}",
    id: "deleteResponse",
    summary: "Delete a kept answer",
    answer: z.object({
      id: z.string(),
      object: z.literal("response"),
      deleted: z.literal(true),
    }),
    errors: [401, 404, 503],
  },
  {
    method: "post",
    path: "/responses/{id}/cancel",
    id: "cancelResponse",
    summary: "Give up an answer that is being made in the background",
    answer: responseViewSchema,
    errors: [400, 401, 404, 429, 503],
  },
  {
    method: "get",
    path: "/responses/{id}/input_items",
    id: "listInputItems",
    summary: "What was asked for a kept answer, the last item first",
    query: inputItemsQuery,
    answer: inputItemListSchema,
    errors: [400, 401, 404],
  },
];
