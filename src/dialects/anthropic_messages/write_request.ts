/**
 * A request in the neutral form as an upstream of this dialect takes it. Left out are settings that it
 * has not and that make no other answer, such as a seed.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { WriteOptions } from "../base/turns_format.ts";
import { ownExtra, type Turn } from "../turns/blocks.ts";
import { wordsOfFormat } from "../turns/format_words.ts";
import { fieldsOf, NotCarried } from "../turns/refusals.ts";
import { THINKING_BUDGETS } from "../turns/thinking_budgets.ts";
import type { Settings, Tool, ToolChoice, TurnsRequest } from "../turns/turns_request.ts";
import { ANTHROPIC } from "./family.ts";
import { type ModelTraits, traitsOf } from "./model_traits.ts";
import { outputSchema } from "../turns/output_schema.ts";
import { ANTHROPIC_MESSAGES } from "./schemas.ts";
import { limitMarks, writeMessages } from "./write_messages.ts";

/**
 * Writes a request.
 *
 * @throws {NotCarried} Naming what the dialect has not.
 * @throws {UpstreamError} `caller`, where a call's arguments are no JSON object.
 */
export function writeRequest(request: TurnsRequest, { model }: WriteOptions): JsonObject {
  const traits = traitsOf(model);
  if (request.logprobs !== undefined) throw new NotCarried("logprobs", "'logprobs'");
  const { maxOutputTokens, format, settings } = request;
  const { system, messages } = writeMessages(request, traits.systemTurns);
  const words = format?.type === "json" || (format !== undefined && !traits.schemas)
    ? [{ type: "text", text: wordsOfFormat(format) }]
    : [];
  const all = [...system, ...words];
  const toolbox = toolFields(request, traits);
  limitMarks({ tools: toolbox.tools ?? [], system: all, messages });
  const thoughts = thoughtFields(request, traits);
  const config = {
    ...thoughts.config,
    ...(format?.type === "schema" && traits.schemas && {
      format: { type: "json_schema", schema: outputSchema(format.schema) },
    }),
  };
  return {
    ...fieldsOf(request.others, [ANTHROPIC_MESSAGES, ANTHROPIC.name]),
    ...ownExtra(ANTHROPIC_MESSAGES, request.extra),
    model: request.model,
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...(all.length > 0 && { system: all }),
    messages,
    ...toolbox,
    ...settingFields(settings, traits.sampling && thoughts.fields.thinking === undefined),
    ...thoughts.fields,
    ...(Object.keys(config).length > 0 && { output_config: config }),
  };
}

function settingFields(settings: Settings, hasSampling: boolean): JsonObject {
  const { temperature, topP, topK, stop, user } = settings;
  // The upstream refuses what is nothing but white space.
  const stops = [stop ?? []].flat().filter((one) => one.trim() !== "");
  return {
    ...(hasSampling && temperature !== undefined && { temperature: Math.min(1, temperature) }),
    // Of the two it takes one.
    ...(hasSampling && temperature === undefined && topP !== undefined && { top_p: topP }),
    ...(hasSampling && topK !== undefined && { top_k: topK }),
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...(user !== undefined && { metadata: { user_id: user } }),
  };
}

/** How much it is to think. */
function thoughtFields(
  { effort, maxOutputTokens, turns }: TurnsRequest,
  { effort: hasEffort, thinkingOff, highestEfforts }: ModelTraits,
): { readonly fields: JsonObject; readonly config: JsonObject } {
  const none = { fields: {}, config: {} };
  if (effort === undefined) return none;
  if (effort === "none") {
    if (thinkingOff) return { ...none, fields: { thinking: { type: "disabled" } } };
    return { ...none, config: { effort: "low" } };
  }
  if (!hasEffort) {
    // Such a model goes on with a call only from the thoughts that led to it.
    if (callsWithoutThoughts(turns)) return none;
    const budget = THINKING_BUDGETS[effort] ?? THINKING_BUDGETS.medium!;
    const most = maxOutputTokens === undefined ? budget : Math.min(budget, maxOutputTokens - 1);
    // Less than the API's least is no thought at all.
    if (most < THINKING_BUDGETS.low!) return none;
    return { ...none, fields: { thinking: { type: "enabled", budget_tokens: most } } };
  }
  const isHighest = effort === "xhigh" || effort === "max";
  const told = effort === "minimal" ? "low" : isHighest && !highestEfforts ? "high" : effort;
  return { fields: { thinking: { type: "adaptive" } }, config: { effort: told } };
}

/** Whether the newest turn of the assistant's calls tools, and does not say why. */
function callsWithoutThoughts(turns: TurnsRequest["turns"]): boolean {
  const last = turns.findLast(({ role }) => role === "assistant")?.blocks ?? [];
  return last.some(({ type }) => type === "call") &&
    !last.some((block) => block.type === "reasoning" && block.seal?.of === ANTHROPIC_MESSAGES);
}

interface ToolFields {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: JsonObject;
}

function toolFields(
  { tools, choice, parallelCalls, turns }: TurnsRequest,
  traits: ModelTraits,
): ToolFields {
  if (choice?.mode === "other") throw new NotCarried(`${choice.other.at}.type`, choice.other.what);
  const allowed = choice?.mode === "named" ? undefined : choice?.allowed;
  const names = allowed && new Set(allowed.map(({ name }) => name));
  const offered = tools.map((tool) => writeTool(tool, traits)).filter(({ name }) =>
    names === undefined || names.has(String(name))
  );
  if (offered.length === 0) return calledTools(turns);
  const told = choiceOf(choice, traits.forcedTools);
  const isOneAtATime = parallelCalls === false && told?.type !== "none";
  const tool_choice = isOneAtATime
    ? { ...told ?? { type: "auto" }, disable_parallel_tool_use: true }
    : told;
  return { tools: offered, ...(tool_choice !== undefined && { tool_choice }) };
}

/** Calls of earlier turns without the tools that were called are refused: these may not be called again. */
function calledTools(turns: readonly Turn[]): ToolFields {
  const names = new Set(
    turns.flatMap(({ blocks }) =>
      blocks.flatMap((block) => block.type === "call" ? [block.name] : [])
    ),
  );
  if (names.size === 0) return {};
  const tools = [...names].map((name) => ({ name, input_schema: { type: "object" } }));
  return { tools, tool_choice: { type: "none" } };
}

function writeTool(tool: Tool, traits: ModelTraits): JsonObject {
  if (tool.kind === "other") {
    if (tool.of === ANTHROPIC_MESSAGES) return tool.value;
    throw new NotCarried(`${tool.at}.type`, tool.what);
  }
  const { kind, name, description, parameters, strict, at, extra } = tool;
  if (kind === "custom") throw new NotCarried(`${at}.type`, `the custom tool '${name}'`);
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: inputSchema(parameters, strict === true && traits.schemas),
    ...(strict === true && traits.schemas && { strict }),
    ...ownExtra(ANTHROPIC_MESSAGES, extra),
  };
}

function inputSchema(parameters: Readonly<JsonObject> = {}, isStrict: boolean): JsonObject {
  const schema = { type: "object", ...parameters };
  return isStrict ? outputSchema(schema) : schema;
}

/** A model that cannot be made to call a tool is left to choose. */
function choiceOf(choice: ToolChoice | undefined, mayForce: boolean): JsonObject | undefined {
  switch (choice?.mode) {
    case "auto":
    case "none":
      return { type: choice.mode };
    case "required":
      return { type: mayForce ? "any" : "auto" };
    case "named":
      return mayForce ? { type: "tool", name: choice.tool.name } : { type: "auto" };
    default:
      return undefined;
  }
}
