/**
 * Answers in JSON whose text alone is wanted: what else they say stands in headers.
 *
 * @module
 */

import { isObject } from "../../domain/json_value.ts";
import { LeanResponse } from "../listener/lean_response.ts";

/** The text of an answer; what is no success stays as it is. */
export async function plainText(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const told = JSON.parse(await wholeText(response));
  const { text, provider, route } = told;
  const headers = Object.fromEntries(response.headers);
  delete headers["content-length"];
  const pricing = isObject(told.pricing) ? told.pricing : {};
  return LeanResponse.make(text, {
    headers: {
      ...headers,
      "content-type": "text/plain; charset=utf-8",
      "x-tollgate-provider": provider,
      "x-tollgate-route": route,
      "x-tollgate-sale-amount": String(pricing.sale_amount),
    },
  });
}

async function wholeText(response: Response): Promise<string> {
  const content = LeanResponse.of(response)?.content;
  if (typeof content !== "object" || !("next" in content)) return await response.text();
  let text = "";
  for (let part = await content.next(); part !== undefined; part = await content.next()) {
    text += part;
  }
  return text;
}
