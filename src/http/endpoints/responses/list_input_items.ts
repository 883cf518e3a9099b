/**
 * `GET /v1/responses/{id}/input_items`: what was asked for a kept answer.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import { lookIn } from "../../callers/authenticate.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { pageOf, pageQuery, pageSchema } from "../../schemas/page.ts";
import { inputItemSchema } from "../../../dialects/openai_responses/schemas.ts";
import { type Asked, jsonEndpoint } from "../shape/keyed_endpoint.ts";
import { findKept } from "./kept.ts";

export const listInputItems = jsonEndpoint({
  path: "/responses/{id}/input_items",
  id: "listInputItems",
  summary: "What was asked for a kept answer, the last item first",
  query: pageQuery({
    least: 1,
    order: "desc by default: the last item first",
    after: "Id of the item that the page comes after",
  }),
  answer: pageSchema(inputItemSchema),
  errors: [400, 404],
  tell: (deps) => async (asked) => {
    const { limit, order, after } = asked.query;
    const items = await readItems(deps, asked);
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
    return pageOf(data, { hasMore: start + limit < items.length });
  },
});

async function readItems(deps: ApiDeps, { context, caller }: Asked): Promise<InputItem[]> {
  const stay = lookIn(deps, caller);
  try {
    const { input } = await findKept(deps, { id: context.req.param("id")!, caller, stay });
    return JSON.parse(input) as InputItem[];
  } finally {
    stay.leave();
  }
}

/** An item as it is kept, or as it is listed. */
export interface InputItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Types that are listed with a status, and may be sent without. */
const WITH_STATUS: ReadonlySet<unknown> = new Set([
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
]);

/** Gives an item its status, and a message its text as a part. What is sent whole is listed as it is. */
export function listedItem(item: InputItem): InputItem {
  if (!WITH_STATUS.has(item.type)) return item;
  const { content, role, status } = item;
  return {
    ...item,
    status: status ?? "completed",
    ...(typeof content === "string" && { content: [textPart(content, role)] }),
  };
}

function textPart(text: string, role: unknown): { readonly [field: string]: unknown } {
  return role === "assistant"
    ? { type: "output_text", text, annotations: [], logprobs: [] }
    : { type: "input_text", text };
}
