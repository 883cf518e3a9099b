/**
 * `GET` and `DELETE /v1/responses/{id}`, `POST …/cancel` and `GET …/input_items`:
 * answers that are kept.
 *
 * @module
 */

import * as z from "zod";
import type { Caller } from "../../../accounts/key_directory.ts";
import { GatewayError } from "../../../errors.ts";
import { fingerprint } from "../../../idempotency/fingerprint.ts";
import { isLong, textInPieces } from "../../../idempotency/text_parts.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { lookIn } from "../../callers/arrive.ts";
import { idempotencyKey } from "../../idempotency/idempotency_key.ts";
import { jsonResponse, jsonTextResponse } from "../../answers/json_response.ts";
import { callerOf } from "../../callers/authenticate.ts";
import { answerOnce } from "../../idempotency/repeatable_post.ts";
import type { AppContext } from "../../context/request_context.ts";
import { stayingParts } from "../../answers/staying_parts.ts";
import { validate } from "../../bodies/validate.ts";
import { countKept, findKept, responseNotFound } from "./find_kept.ts";
import { type InputItem, listedItem } from "./listed_item.ts";

const DEFAULT_LIMIT = 20;

/** The query of a list of input items. */
export const inputItemsQuery = z.object({
  limit: z.string().regex(
    /^(?:[1-9]\d?|100)$/,
    "Expected a whole number from 1 to 100, in digits alone",
  )
    .transform(Number).optional().describe("At most 100; 20 by default"),
  order: z.enum(["asc", "desc"]).optional().describe("desc by default: the last item first"),
  after: z.string().optional().describe("Id of the item that the page comes after"),
});

/** Makes the handler of `GET`. */
export function showResponse(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const caller = callerOf(context, deps);
    if (context.req.query("stream") === "true") {
      throw new GatewayError(
        "not_supported",
        "'stream' is not supported here: ask again until the status is no longer 'queued' or 'in_progress'",
        { param: "stream" },
      );
    }
    const stay = lookIn(deps, caller);
    try {
      const { body } = await findKept(deps, { id: context.req.param("id")!, caller, stay });
      const content = isLong(body.length) ? stayingParts(textInPieces(body), stay) : body;
      return jsonTextResponse(content, context.env.identity.requestId);
    } finally {
      stay.leave();
    }
  };
}

/** Makes the handler of `DELETE`. */
export function deleteResponse(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { project } = callerOf(context, deps);
    const id = context.req.param("id")!;
    if (!await deps.responses.remove(project.id, id)) throw responseNotFound();
    const deleted = { id, object: "response", deleted: true };
    return jsonResponse(deleted, context.env.identity.requestId);
  };
}

/** Makes the handler of `POST …/cancel`. */
export function cancelResponse(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const caller = callerOf(context, deps);
    const key = idempotencyKey(context.req.raw);
    const id = context.req.param("id")!;
    const stay = lookIn(deps, caller);
    try {
      const post = {
        key,
        caller,
        stay,
        model: undefined,
        path: `/responses/${id}/cancel`,
        // It is asked for without a body, and none is read.
        fingerprint: () => fingerprint(null),
      };
      return await answerOnce(deps, context, {
        post,
        async make({ remember }) {
          await countKept(deps, { id, caller, stay });
          const kept = await deps.responses.cancel(caller.project.id, id, remember);
          if (kept === undefined) throw responseNotFound();
          return kept.body;
        },
      });
    } finally {
      stay.leave();
    }
  };
}

/** Makes the handler of `GET …/input_items`. */
export function listInputItems(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const caller = callerOf(context, deps);
    const { limit = DEFAULT_LIMIT, order = "desc", after } = validate(
      inputItemsQuery,
      context.req.query(),
    );
    const items = await readItems(deps, { id: context.req.param("id")!, caller });
    if (order === "desc") items.reverse();
    const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0) {
      throw new GatewayError(
        "invalid_value",
        "Invalid value for 'after': it must be the id of an input item of this response",
        { param: "after" },
      );
    }
    const data = items.slice(start, start + limit).map(listedItem);
    return jsonResponse({
      object: "list",
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: start + limit < items.length,
    }, context.env.identity.requestId);
  };
}

async function readItems(
  deps: ApiDeps,
  { id, caller }: { readonly id: string; readonly caller: Caller },
): Promise<InputItem[]> {
  const stay = lookIn(deps, caller);
  try {
    const { input } = await findKept(deps, { id, caller, stay });
    return JSON.parse(input) as InputItem[];
  } finally {
    stay.leave();
  }
}
