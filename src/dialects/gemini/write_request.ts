/**
 * A request in the neutral form as an upstream of this dialect takes it. It is built from nothing, so
 * that no word of another dialect's gets there; left out are settings that make no other answer.
 *
 * @module
 */

import { asCount, type JsonObject } from "../../domain/json_value.ts";
import type { ModelTraits } from "../../domain/model_traits.ts";
import type { WriteOptions } from "../base/turns_format.ts";
import { OPENAI } from "../openai/family.ts";
import { ownExtra } from "../turns/blocks.ts";
import { wordsOfFormat } from "../turns/format_words.ts";
import { fieldsOf } from "../turns/refusals.ts";
import type { TurnsRequest } from "../turns/turns_request.ts";
import { traitsOf } from "./model_traits.ts";
import { GEMINI } from "./names.ts";
import { thinkingConfig } from "./thinking.ts";
import { writeContents } from "./write_contents.ts";
import { writeTools } from "./write_tools.ts";

/** Tiers that both vendors have. */
const TIERS: ReadonlySet<unknown> = new Set(["flex", "priority"]);

/**
 * Writes a request; the model's name is no part of it.
 *
 * @throws {NotCarried} Naming what the dialect has not.
 * @throws {UpstreamError} `caller`, naming what is wrong.
 */
export function writeRequest(request: TurnsRequest, { model, supports }: WriteOptions): JsonObject {
  const traits = traitsOf(model, supports);
  const tools = writeTools(request);
  const { format } = request;
  const hasField = format !== undefined &&
    (traits.schemasWithTools === true || tools.tools === undefined);
  const words = format === undefined || hasField ? undefined : wordsOfFormat(format);
  const config = {
    ...settingFields(request, traits),
    ...(hasField && formatFields(format)),
  };
  const tier = ownExtra(OPENAI.name, request.shared).service_tier;
  return {
    ...fieldsOf(request.others, [GEMINI]),
    ...writeContents(request, traits, words),
    ...tools,
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(TIERS.has(tier) && { serviceTier: tier }),
  };
}

function settingFields(
  { settings, effort, logprobs, maxOutputTokens }: TurnsRequest,
  traits: ModelTraits,
): JsonObject {
  const { temperature, topP, topK, stop, seed, presencePenalty, frequencyPenalty } = settings;
  const stops = [stop ?? []].flat().filter((one) => one !== "");
  const thoughts = thinkingConfig(effort, traits);
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(stops.length > 0 && { stopSequences: stops }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(logprobs !== undefined && {
      responseLogprobs: true,
      ...(asCount(logprobs.top) !== undefined && { logprobs: logprobs.top }),
    }),
    ...(thoughts !== undefined && { thinkingConfig: thoughts }),
  };
}

function formatFields(format: NonNullable<TurnsRequest["format"]>): JsonObject {
  return {
    responseMimeType: "application/json",
    ...(format.type === "schema" && { responseJsonSchema: format.schema }),
  };
}
