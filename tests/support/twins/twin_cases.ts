/**
 * Cases that twin gateways are compared in: requests as clients send them, and as they should not.
 *
 * @module
 */

import type { SeededRandom } from "../seeded_random.ts";
import { MODELS, type ProjectName } from "./twin_catalogue.ts";
import type { TwinCase, TwinRequest } from "./twin_gateways.ts";
import { repliesFor } from "./twin_replies.ts";

const encoder = new TextEncoder();
const JSON_TYPE = "content-type: application/json";

/** A case; the same of the same number and random numbers. */
export function twinCase(random: SeededRandom, number: number): TwinCase {
  const isStream = random.chance(0.5);
  const { label, replies, isSilent } = repliesFor(random, isStream);
  const model = `${isSilent ? "brief" : "usual"}-${number % MODELS}`;
  const isPipelined = random.chance(0.08);
  const count = isPipelined ? 2 : random.pick([1, 1, 1, 1, 2, 3]);
  const what = random.weighted(WHATS);
  const requests = Array.from(
    { length: count },
    () => requestOf(random, isPipelined ? "usual" : what, { model, isStream }),
  );
  return {
    label: `case ${number}: ${isPipelined ? "2 at once, " : ""}${what}${
      isStream ? " stream" : ""
    }, ${label}`,
    requests,
    isPipelined,
    replies,
  };
}

/** What may be particular of a request, and how often it is. */
const WHATS = {
  usual: 50,
  fields: 14,
  wrong: 8,
  bytes: 5,
  headers: 14,
  packets: 10,
  projects: 14,
  large: 5,
  wishes: 8,
  path: 3,
} as const;

interface Basics {
  readonly model: string;
  readonly isStream: boolean;
}

function requestOf(
  random: SeededRandom,
  what: keyof typeof WHATS,
  basics: Basics,
): TwinRequest {
  const body = usualBody(random, basics);
  const usual: TwinRequest = {
    project: random.pick<ProjectName>(["free", "paying", "paying"]),
    headers: [JSON_TYPE],
    body: bytesOf(body),
  };
  switch (what) {
    case "usual":
      return usual;
    case "fields":
      return {
        ...usual,
        body: bytesOf({ ...body, ...random.pick(FIELDS), ...random.pick(FIELDS) }),
      };
    case "wrong":
      return { ...usual, body: bytesOf({ ...body, ...random.pick(WRONG) }) };
    case "bytes":
      return { ...usual, body: oddBytes(random, usual.body) };
    case "headers":
      return random.chance(0.15)
        ? { ...usual, project: undefined, headers: random.pick(KEY_HEADERS) }
        : { ...usual, headers: random.pick(HEADERS) };
    case "packets":
      return { ...usual, cuts: cutsOf(random, usual.body.length + 150) };
    case "projects":
      return { ...usual, project: random.pick(PROJECTS) };
    case "large":
      return {
        ...usual,
        body: bytesOf({
          ...body,
          messages: [{ role: "user", content: "large ".repeat(random.integer(1_000, 14_000)) }],
        }),
      };
    case "wishes":
      return { ...usual, body: bytesOf({ ...body, ...wishes(random, basics) }) };
    case "path":
      return { ...usual, path: random.pick(PATHS) };
  }
}

function usualBody(random: SeededRandom, { model, isStream }: Basics): Record<string, unknown> {
  return {
    model,
    messages: random.pick<unknown>([
      [{ role: "user", content: "Hi" }],
      [{ role: "system", content: "Be brief" }, { role: "user", content: "日本語 🙂 \u2028 ß" }],
      [{ role: "user", content: "word ".repeat(random.integer(0, 300)) }],
    ]),
    ...(isStream ? { stream: true } : random.pick([{}, {}, { stream: false }, { stream: null }])),
    ...(isStream && random.chance(0.4) ? { stream_options: { include_usage: true } } : {}),
    ...(random.chance(0.3) ? { max_tokens: random.pick([1, 2, 5, 100]) } : {}),
  };
}

const TOOL = { type: "function", function: { name: "f", parameters: { type: "object" } } };
const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
const FIELDS: readonly Record<string, unknown>[] = [
  { tools: [TOOL], tool_choice: "auto" },
  { n: 2 },
  { n: 1 },
  { temperature: 0.5, top_p: 1, seed: 7, stop: ["a", "b"] },
  { max_completion_tokens: 3 },
  { max_tokens: 1_000_000_000 },
  { unknown_field: { deep: [1, 2, { 键: "值" }] } },
  { response_format: { type: "json_object" } },
  { reasoning_effort: "high" },
  { stream_options: { include_usage: false } },
  { stream_options: null },
  { tags: { team: "search" } },
  { tags: { "odd name": "x" } },
  { tags: {} },
  { user: "somebody", metadata: { a: "b" }, store: true },
  { usage: { include: true } },
  { usage: null },
  { models: ["usual-1", "warm"] },
  { models: null },
  { prompt_cache_key: "k", logit_bias: { "50256": -100 } },
  { web_search_options: {} },
  { plugins: [{ id: "web" }] },
  {
    messages: [{
      role: "user",
      content: [{ type: "text", text: "See" }, { type: "image_url", image_url: { url: PICTURE } }],
    }],
  },
  {
    messages: [
      { role: "user", content: "Call" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "7" },
    ],
  },
];

const WRONG: readonly Record<string, unknown>[] = [
  { model: "no-such-model" },
  { model: "" },
  { model: 7 },
  { model: undefined },
  { model: null },
  { messages: [] },
  { messages: "Hi" },
  { messages: undefined },
  { messages: [7] },
  { messages: [{ role: "nobody", content: "Hi" }] },
  { stream: "yes" },
  { stream: 1 },
  { max_tokens: -1 },
  { max_tokens: "5" },
  { max_tokens: 0 },
  { n: 0 },
  { n: 1.5 },
  { temperature: "hot" },
  { tools: {} },
  { tags: "x" },
  { models: 7 },
  { models: [] },
  { stream_options: 7 },
  { provider: 7 },
  { route: 7 },
];

const PATHS = [
  "/chat/completions",
  "/v1/chat/completions?a=b",
  "/v1/chat/completions/",
  "/v1//chat/completions",
  "/V1/chat/completions",
  "/v1/chat%2Fcompletions",
  "/v1/completions",
  "/api/v1/chat/completions",
  "http://gateway/v1/chat/completions",
];

const PROJECTS: readonly ProjectName[] = [
  "slim",
  "poor",
  "keeping",
  "cached",
  "narrow",
  "rate0",
  "rate1",
  "tokens0",
  "tokens1",
  "single",
];

const HEADERS: readonly (readonly string[])[] = [
  [],
  ["content-type: application/json; charset=utf-8"],
  ["Content-Type:application/json", "Accept: */*", "User-Agent: test"],
  ["content-type: text/plain"],
  ["content-type: application/json", "content-type: application/json"],
  ["content-type: application/json", "content-type: text/plain"],
  ["content-type: application/json/odd"],
  ["CONTENT-TYPE:   Application/JSON  "],
  [JSON_TYPE, "authorization: Bearer KEY"],
  [JSON_TYPE, "authorization: Bearer wrong"],
  [JSON_TYPE, "x-api-key: KEY"],
  [JSON_TYPE, "idempotency-key: once"],
  [JSON_TYPE, "Idempotency-Key: "],
  [JSON_TYPE, "x-tollgate-tags: team=search"],
  [JSON_TYPE, "x-tollgate-tags: %%%"],
  [JSON_TYPE, "content-encoding: gzip"],
  [JSON_TYPE, "content-encoding: identity"],
  [JSON_TYPE, "connection: close"],
  [JSON_TYPE, "connection: keep-alive"],
  [JSON_TYPE, "expect: 100-continue"],
  [JSON_TYPE, "x-forwarded-for: 10.0.0.1", "x-forwarded-for: 10.0.0.2"],
  [JSON_TYPE, "cache-control: no-cache"],
  [JSON_TYPE, "origin: https://example.org"],
  [JSON_TYPE, "accept-encoding: gzip", "te: trailers"],
  [JSON_TYPE, "x-request-id: mine"],
  [JSON_TYPE, "openai-organization: o", "openai-project: p"],
];

const KEY_HEADERS: readonly (readonly string[])[] = [
  [JSON_TYPE],
  [JSON_TYPE, "authorization: KEY"],
  [JSON_TYPE, "authorization: Basic KEY"],
  [JSON_TYPE, "authorization: bearer sk-tg-wrong"],
  [JSON_TYPE, "authorization: Bearer "],
  [JSON_TYPE, "authorization: Bearer sk-tg-0000000000000000000000000000000000000000"],
];

function wishes(random: SeededRandom, { model }: Basics): Record<string, unknown> {
  const at = model.split("-")[1]!;
  const name = model.split("-")[0]!;
  return random.pick<Record<string, unknown>>([
    { route: `${name}-b${at}/${model}` },
    { route: "no/such" },
    { provider: { order: [`${name}-b${at}`] } },
    { provider: { order: [`${name}-b${at}`], allow_fallbacks: false } },
    { provider: { only: ["nobody"] } },
    { provider: { sort: "price" } },
    { provider: `${name}-b${at}` },
    { routing_preference: "cheapest" },
    { routing_preference: "odd" },
    { max_price: "0.00000001" },
  ]);
}

function oddBytes(random: SeededRandom, body: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(body);
  return random.pick<() => Uint8Array>([
    () => new Uint8Array(0),
    () => encoder.encode("{}"),
    () => encoder.encode("null"),
    () => encoder.encode("[1]"),
    () => encoder.encode(`\ufeff${text}`),
    () => encoder.encode(` \n${text}\n `),
    () => encoder.encode(text.slice(0, -1)),
    () => encoder.encode(`${text}}`),
    () => encoder.encode(text.replace("{", '{"model":"warm",')),
    () => encoder.encode(text.replace("{", '{"__proto__":{"stream":true},')),
    () => encoder.encode(text.replace("{", `{"deep":${"[".repeat(250)}${"]".repeat(250)},`)),
    () => encoder.encode(text.replace("{", '{"big":123456789012345678901234567890.5,')),
    () => encoder.encode(text.replace("{", '{"half":"\\ud800",')),
    () => Uint8Array.from([...encoder.encode('{"odd":"'), 0xff, 0xc3, ...encoder.encode('"')]),
    () => Uint8Array.from(body, (byte, at) => at === 12 ? 0xff : byte),
  ])();
}

function cutsOf(random: SeededRandom, most: number): readonly number[] {
  return Array.from({ length: random.integer(1, 3) }, () => random.integer(1, most))
    .toSorted((one, other) => one - other);
}

function bytesOf(body: object): Uint8Array {
  return encoder.encode(JSON.stringify(body));
}
