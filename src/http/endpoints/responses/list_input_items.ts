/**
 * `GET /v1/responses/{id}/input_items`: what was asked for a kept answer.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import { lookIn } from "../../callers/arrive.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { pageOf, pageQuery, pageSchema } from "../../schemas/page.ts";
import { inputItemSchema } from "../../../dialects/openai_responses/view.ts";
import { jsonEndpoint } from "../shape/json_endpoint.ts";
import type { Asked } from "../shape/keyed_endpoint.ts";
import { findKept } from "./find_kept.ts";
import { type InputItem, listedItem } from "./listed_item.ts";

/** See the module's text. */
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
