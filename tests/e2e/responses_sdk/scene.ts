/**
 * What the scenarios of the Responses API work with, and what they all check.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as seven from "openai7";
import { formatAmount } from "../../../src/domain/money.ts";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import { assertWholeStream } from "../../support/response_stream_check.ts";
import { assertSatisfies } from "../../support/schema_check.ts";

/** A Response object, as the SDKs have it. */
export type Response = seven.OpenAI.Responses.Response;
/** An event of a stream. */
export type StreamEvent = seven.OpenAI.Responses.ResponseStreamEvent;
/** An entry of `input`. */
export type InputItem = seven.OpenAI.Responses.ResponseInputItem;

/** Logical models whose upstream has the Responses API, and has only chat. */
export const BOTH_KINDS = ["native", "plain"] as const;

/** Words, and what `echo-1` answers. */
export const HELLO = "Hello there, gateway!";
export const ECHO = "You said: Hello there, gateway!";

/** A tool whose arguments are checked. */
export const WEATHER = {
  type: "function" as const,
  name: "get_weather",
  description: "The weather in a city",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string", minLength: 1 }, days: { type: "integer", minimum: 1 } },
    required: ["city", "days"],
    additionalProperties: false,
  },
};

/** What the gateway adds to a Response object. */
interface Additions {
  readonly provider: string;
  readonly route: string;
  readonly pricing: { currency: string; cost_amount: string; sale_amount: string };
}

/** Asserts that a Response object is whole: OpenAI's schema, the gateway's additions, exact prices. */
export function assertResponse(response: Response, route = "builtin/echo-1"): void {
  assertSatisfies(schemas, "Response", response);
  assert.match(response.id, /^resp_[a-z2-7]{40}$/);
  const { pricing, usage, ...said } = response as Response & Additions;
  assert.deepEqual([said.provider, said.route, said.model], [
    ...route.split("/", 1),
    route,
    modelOf(route),
  ]);
  assert.equal(usage!.total_tokens, usage!.input_tokens + usage!.output_tokens);
  assert.ok(usage!.input_tokens > 0 && usage!.output_tokens > 0);
  const millionths = BigInt(usage!.input_tokens) + 2n * BigInt(usage!.output_tokens);
  assert.deepEqual(pricing, {
    currency: "USD",
    cost_amount: formatAmount(millionths * 100n),
    sale_amount: formatAmount(millionths * 200n),
  });
}

/** Every event of a stream, checked one by one and as a whole. */
export async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  assert.deepEqual(events.map((event) => event.sequence_number), [...events.keys()]);
  assertWholeStream(events.map(({ sequence_number: _number, ...event }) => event));
  return events;
}

/** The text that a stream has said piece by piece. */
export function textOf(events: readonly StreamEvent[]): string {
  return events.map((event) => event.type === "response.output_text.delta" ? event.delta : "")
    .join("");
}

/** The Response object of a stream's last event. */
export function lastResponse(events: readonly StreamEvent[]): Response {
  const last = events.at(-1)!;
  assert.ok(last.type === "response.completed" || last.type === "response.incomplete");
  return last.response;
}

/** A Response object without what an SDK adds to it. */
export function asSent(response: object): Response {
  return JSON.parse(
    JSON.stringify(response, (key, value) => SDK_KEYS.has(key) ? undefined : value),
  );
}

const SDK_KEYS: ReadonlySet<string> = new Set([
  "output_text",
  "output_parsed",
  "parsed",
  "parsed_arguments",
]);

function modelOf(route: string): string {
  return route.slice(route.indexOf("/") + 1);
}
