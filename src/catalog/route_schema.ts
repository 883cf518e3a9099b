/**
 * Routes as the catalogue file writes them: one provider's way to serve a model.
 *
 * @module
 */

import * as z from "zod";
import { boundedList, boundedRecord, FAULTS_TOLD } from "../documents/bounded.ts";
import { RISK_LEVELS } from "../domain/catalogue.ts";
import { EFFORTS, SCHEMA_WAYS, THINKING_WAYS } from "../domain/model_traits.ts";
import { wideId } from "./model_ids.ts";
import { costSchema, saleSchema, sizeText } from "./price_schema.ts";
import { shortId } from "./provider_schema.ts";

/** The largest count anywhere in the file. */
const MAX_COUNT = 1_000_000_000_000;

/** A positive whole number. */
export const count = z.int().min(1).max(MAX_COUNT);

/** Fields that the gateway itself decides; rules on them would falsify routing or money. */
const OWNED_FIELDS: ReadonlySet<string> = new Set([
  "__proto__",
  "model",
  "messages",
  "input",
  "stream",
]);

const bodyField = z.string().min(1).max(128).refine(
  (name) => !OWNED_FIELDS.has(name),
  "This field is the caller's or the gateway's: it cannot be changed by a rule",
);

/** Rules that give a value; the number of choices is part of what was quoted. */
const valueField = bodyField.refine(
  (name) => name !== "n",
  "The number of choices is the caller's: it cannot be changed by a rule",
);

const toolPattern = z.string().max(64).regex(
  /^(\*|[A-Za-z][A-Za-z0-9_.-]*\*?)$/,
  "Expected the type of a tool, such as web_search, or its beginning and *",
);

/** What a route can do, as the file has it. */
export const supportsSchema = z.strictObject({
  tools: z.boolean().optional().describe("Tool calls."),
  vision: z.boolean().optional().describe("Images as input; of a video: as its first picture."),
  json_schema: z.boolean().optional().describe("Answers that fulfil a JSON Schema."),
  responses: z.boolean().optional().describe("The Responses API itself."),
  completions: z.boolean().optional().describe(
    "The older completions of a text (POST /v1/completions), which only routes serve that have true.",
  ),
  chat: z.boolean().optional().describe("Chats; false of a model that only completes texts."),
  image_edits: z.boolean().optional().describe(
    "Images made of images; false of a model that makes them of texts alone.",
  ),
  stream: z.boolean().optional().describe("Streamed answers."),
  context_tokens: count.optional().describe("Prompt and answer together."),
  max_output_tokens: count.optional().describe("The longest answer."),
  max_inputs: count.optional().describe(
    "Inputs that the upstream embeds in one request; more are sent in several. Default: 512.",
  ),
  sampling: z.boolean().optional().describe(
    "Temperature, top_p and top_k. This and what follows is how requests are written that are put in " +
      "the dialect of Anthropic's, Google's or Bedrock's models. Default: as the program knows it of " +
      "the model's name.",
  ),
  thinking: z.enum(THINKING_WAYS).optional().describe(
    "How the model is told how much to think: effort, budget (of tokens), level, reasoning_effort or none.",
  ),
  thinking_off: z.boolean().optional().describe("Thoughts can be switched off."),
  least_effort: z.enum(EFFORTS).optional().describe("The least word for how much to think."),
  most_effort: z.enum(EFFORTS).optional().describe("The highest word for how much to think."),
  least_thinking_tokens: z.int().min(0).max(MAX_COUNT).optional().describe(
    "The least budget; 0: none.",
  ),
  most_thinking_tokens: count.optional().describe("The largest budget."),
  forced_tools: z.boolean().optional().describe("A call of a tool can be demanded."),
  schemas_by: z.enum(SCHEMA_WAYS).optional().describe(
    "How an answer's JSON Schema is demanded: in its own field, as the one tool that the model has to " +
      "call, or in words.",
  ),
  schemas_with_tools: z.boolean().optional().describe(
    "It can be demanded while tools are offered.",
  ),
  system_turns: z.boolean().optional().describe("The system may speak in mid-conversation."),
  system_place: z.boolean().optional().describe("Instructions have a place of their own."),
  signed_calls: z.boolean().optional().describe("Calls have to come back with their signatures."),
  rich_results: z.boolean().optional().describe("What tools give may have images in it."),
  token_factor: z.number().min(0.1).max(10).optional().describe(
    "Tokens that the model counts where our estimate counts one.",
  ),
});

const limits = z.strictObject({
  requests_per_minute: count.optional().describe("Calls in 60 seconds. Default: no limit."),
  tokens_per_minute: count.optional().describe("Tokens in 60 seconds. Default: no limit."),
  concurrent: count.optional().describe(
    "Calls at one time; of a video model: tasks running at one time, while others wait in " +
      "their queue. Default: no limit.",
  ),
});

const video = z.strictObject({
  sizes: boundedList(sizeText, { least: 1, most: 100, faults: FAULTS_TOLD }).describe(
    "Sizes on offer; the first is the default.",
  ),
  seconds: boundedList(z.int().min(1).max(3600), {
    least: 1,
    most: 100,
    faults: FAULTS_TOLD,
  }).describe(
    "Lengths on offer, whole seconds; the first is the default.",
  ),
  pass_fields: boundedList(bodyField, { most: 100, faults: FAULTS_TOLD }).default([]).describe(
    "Further fields of a create request that are passed to the upstream.",
  ),
});

/** One entry of a model's `routes`. */
export const routeSchema = z.strictObject({
  id: wideId.describe("Unique in the file; callers may name it as `route`."),
  provider: shortId.describe("Id of the provider that serves it."),
  upstream_model: z.string().min(1).max(200).refine(
    // deno-lint-ignore no-control-regex -- exactly those are refused
    (text) => !/[\0-\x1f\x7f]/.test(text),
    "Expected text without control characters",
  ).optional().describe(
    "The model's name at the provider; of a model whose id ends in /*, * in it is what a caller wrote " +
      "there. Default: the model's id, or *. With builtin a suffix asks for " +
      "a fault, such as echo-1:cut-5.",
  ),
  risk_level: z.enum(RISK_LEVELS).default("low").describe(
    "The operator's judgement; callers may exclude levels.",
  ),
  priority: z.int().min(0).max(1_000).default(0).describe(
    "Smaller ones are tried before larger ones, unless the caller prefers otherwise; equal ones " +
      "are drawn by weight and price.",
  ),
  weight: z.number().gt(0).max(1_000_000).default(1).describe("Share among equal priorities."),
  enabled: z.boolean().default(true).describe(
    "Whether the route serves. Applied when the file's value changes, so that a switch set by " +
      "the operator stays.",
  ),
  maintenance: z.boolean().default(false).describe(
    "Out of service for now. Applied when the file's value changes, like `enabled`.",
  ),
  supports: supportsSchema.default({}).describe(
    "What the route can do; what is not written is unknown and never filters.",
  ),
  cost: costSchema.optional(),
  sale: saleSchema.optional(),
  free: z.literal(true).optional().describe("Short for sale: { free: true }."),
  limits: limits.default({}).describe("The route's own capacity, for all projects together."),
  set: boundedRecord(valueField, z.unknown(), { most: 1_000, faults: FAULTS_TOLD }).default({})
    .describe(
      "Fields of the upstream body that replace the caller's.",
    ),
  default: boundedRecord(valueField, z.unknown(), { most: 1_000, faults: FAULTS_TOLD }).default({})
    .describe(
      "Fields of the upstream body where the caller sends none.",
    ),
  drop: boundedList(bodyField, { most: 100, faults: FAULTS_TOLD }).default([]).describe(
    "Fields of the caller's body that are not sent upstream.",
  ),
  drop_tools: boundedList(toolPattern, { most: 100, faults: FAULTS_TOLD }).default([]).describe(
    "Types of tools that an upstream would have to run, such as web_search or web_search*; * is " +
      "all of them. Requests are served without them here, which else are refused where the " +
      "upstream lacks them.",
  ),
  video: video.optional().describe(
    "What a route of a video model offers. Default, builtin: 720x1280, 1280x720, 1024x1792, " +
      "1792x1024, 640x360 and 1 to 12 seconds (4 where none are asked for); other providers: the " +
      "first four of these and 4, 8 or 12 seconds.",
  ),
});

/** {@linkcode routeSchema}'s value. */
export type FileRoute = z.output<typeof routeSchema>;
