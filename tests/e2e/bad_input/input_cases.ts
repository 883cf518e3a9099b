/**
 * What `input` of the Responses API and of embeddings must not be, and the answer each must get.
 *
 * @module
 */

import type { BadRequest } from "./bad_request.ts";

const invalid = { status: 400, code: "invalid_value" };
const missing = { status: 400, code: "missing_required_parameter", param: "input" };
const MILLION = 1_000_000;

function responses(fields: object): Pick<BadRequest, "target" | "body"> {
  return { target: "/v1/responses", body: JSON.stringify({ model: "echo-1", ...fields }) };
}

function embeddings(fields: object): Pick<BadRequest, "target" | "body"> {
  return { target: "/v1/embeddings", body: JSON.stringify({ model: "vectors", ...fields }) };
}

function message(part: object): object {
  return { input: [{ role: "user", content: [part] }] };
}

/** Requests of the Responses API. */
export const BAD_ITEMS: readonly BadRequest[] = [
  { name: "nothing to answer", ...responses({}), ...missing },
  { name: "input null", ...responses({ input: null }), ...invalid, param: "input" },
  { name: "input empty", ...responses({ input: "" }), ...invalid, param: "input" },
  {
    name: "an unknown item type",
    ...responses({ input: [{ type: "telepathy" }] }),
    ...invalid,
    param: "input[0].type",
  },
  {
    name: "a previous response that is not there",
    ...responses({ input: "Hi", previous_response_id: "resp_none" }),
    status: 400,
    code: "previous_response_not_found",
    param: "previous_response_id",
  },
  {
    name: "a function's output without its call",
    ...responses({ input: [{ type: "function_call_output", call_id: "call_x", output: "x" }] }),
    ...invalid,
    param: "input[0].call_id",
  },
  {
    name: "an image that is not base64",
    ...responses(message({ type: "input_image", image_url: "data:image/png;base64,@@@" })),
    ...invalid,
    param: "input[0].content[0].image_url",
  },
  {
    name: "10,000 items",
    ...responses({ input: Array(10_000).fill({ role: "user", content: "a" }) }),
    ...invalid,
    param: "input",
  },
  {
    name: "a million items",
    ...responses({ input: Array(MILLION).fill(0) }),
    ...invalid,
    param: "input",
  },
];

/** Requests for embeddings. */
export const BAD_INPUTS: readonly BadRequest[] = [
  { name: "nothing to embed", ...embeddings({}), ...missing },
  { name: "an empty text", ...embeddings({ input: "" }), ...invalid, param: "input" },
  {
    name: "an empty text among texts",
    ...embeddings({ input: ["a", ""] }),
    ...invalid,
    param: "input[1]",
  },
  { name: "a negative token", ...embeddings({ input: [1, -1] }), ...invalid, param: "input[1]" },
  {
    name: "a huge token in a list",
    ...embeddings({ input: [[1], [2, 1e300]] }),
    ...invalid,
    param: "input[1][1]",
  },
  {
    name: "a million texts",
    ...embeddings({ input: Array(MILLION).fill("a") }),
    ...invalid,
    param: "input",
  },
  {
    name: "a million tokens",
    ...embeddings({ input: Array(MILLION).fill(1) }),
    ...invalid,
    param: "input",
  },
  {
    name: "dimensions that there are not",
    ...embeddings({ input: "a", dimensions: 2_000 }),
    ...invalid,
    param: "dimensions",
  },
];
