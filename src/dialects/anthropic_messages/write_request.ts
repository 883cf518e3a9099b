/**
 * A request in the neutral form as an upstream of this dialect takes it. Left out are settings that it
 * has not and that make no other answer, such as a seed.
 *
 * @module
 */

import { asObject, type JsonObject } from "../../domain/json_value.ts";
import type { WriteOptions } from "../base/turns_format.ts";
import { type Effort, EFFORTS } from "../../domain/model_traits.ts";
import { ownExtra, type Turn } from "../turns/blocks.ts";
import { wordsOfFormat } from "../turns/format_words.ts";
import { forcesCall } from "../turns/forces_call.ts";
import { fieldsOf, NotCarried } from "../turns/refusals.ts";
import { THINKING_BUDGETS } from "../turns/thinking_budgets.ts";
import type { Settings, Tool, ToolChoice, TurnsRequest } from "../turns/turns_request.ts";
import { ANTHROPIC } from "./family.ts";
import { type MessagesTraits, traitsOf } from "./model_traits.ts";
import { outputSchema } from "../turns/output_schema.ts";
import { ANTHROPIC_MESSAGES } from "./schemas.ts";
import { limitMarks, writeMessages } from "./write_messages.ts";

/**
 * Writes a request.
 *
 * @throws {NotCarried} Naming what the dialect has not.
 * @throws {UpstreamError} `caller`, where a call's arguments are no JSON object.
 */
export function writeRequest(request: TurnsRequest, { model, supports }: WriteOptions): JsonObject {
  const traits = traitsOf(model, supports);
  if (request.logprobs !== undefined) throw new NotCarried("logprobs", "'logprobs'");
  const { maxOutputTokens, format, settings } = request;
  const { system, messages } = writeMessages(request, traits.systemTurns === true);
  const words = format?.type === "json" || (format !== undefined && traits.schemasBy !== "field")
    ? [{ type: "text", text: wordsOfFormat(format) }]
    : [];
  const all = [...system, ...words];
  const toolbox = toolFields(request, traits);
  limitMarks({ tools: toolbox.tools ?? [], system: all, messages });
  const thoughts = thoughtFields(request, traits);
  const config = {
    ...thoughts.config,
    ...(format?.type === "schema" && traits.schemasBy === "field" && {
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
    ...settingFields(settings, traits.sampling === true && thoughts.fields.thinking === undefined),
    ...thoughts.fields,
    ...(Object.keys(config).length > 0 && { output_config: config }),
  };
}

/** Whether a schema is demanded by a call, which a model that thinks cannot be made to make. */
export function answersByCall(
  request: TurnsRequest,
  { model, supports }: Pick<WriteOptions, "model" | "supports">,
): boolean {
  if (request.format?.type !== "schema") return false;
  const traits = traitsOf(model, supports);
  if (traits.schemasBy !== "tool" || traits.forcedTools !== true) return false;
  const { thinking } = thoughtFields(request, traits).fields;
  return thinking === undefined || asObject(thinking)?.type === "disabled";
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
  request: TurnsRequest,
  traits: MessagesTraits,
): { readonly fields: JsonObject; readonly config: JsonObject } {
  const { effort, maxOutputTokens, turns } = request;
  const { thinking, thinkingOff, mostEffort } = traits;
  const none = { fields: {}, config: {} };
  if (effort === undefined) return none;
  if (effort === "none") {
    if (thinkingOff === true) return { ...none, fields: { thinking: { type: "disabled" } } };
    return thinking === "effort" ? { ...none, config: { effort: "low" } } : none;
  }
  if (thinking === "none") return none;
  const isForced = forcesCall(request, traits);
  if (thinking === "budget") {
    if (isForced) return none;
    // Such a model goes on with a call only from the thoughts that led to it.
    if (callsWithoutThoughts(turns)) return none;
    const budget = THINKING_BUDGETS[effort] ?? THINKING_BUDGETS.medium!;
    const most = maxOutputTokens === undefined ? budget : Math.min(budget, maxOutputTokens - 1);
    // Less than the API's least is no thought at all.
    if (most < THINKING_BUDGETS.low!) return none;
    return { ...none, fields: { thinking: { type: "enabled", budget_tokens: most } } };
  }
  const told = effort === "minimal" ? "low" : isBeyond(effort, mostEffort) ? mostEffort : effort;
  return {
    fields: isForced ? {} : { thinking: { type: "adaptive" } },
    config: { effort: told },
  };
}

function isBeyond(effort: string, most: Effort): boolean {
  return EFFORTS.findIndex((one) => one === effort) > EFFORTS.indexOf(most);
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
  traits: MessagesTraits,
): ToolFields {
  if (choice?.mode === "other") throw new NotCarried(`${choice.other.at}.type`, choice.other.what);
  const allowed = choice?.mode === "named" ? undefined : choice?.allowed;
  const names = allowed && new Set(allowed.map(({ name }) => name));
  const offered = tools.map((tool) => writeTool(tool, traits)).filter(({ name }) =>
    names === undefined || names.has(String(name))
  );
  if (offered.length === 0) return calledTools(turns);
  const told = choiceOf(choice, traits.forcedTools === true);
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

function writeTool(tool: Tool, traits: MessagesTraits): JsonObject {
  if (tool.kind === "other") {
    if (tool.of === ANTHROPIC_MESSAGES) return { ...tool.value };
    throw new NotCarried(`${tool.at}.type`, tool.what);
  }
  const { kind, name, description, parameters, strict, at, extra } = tool;
  if (kind === "custom") throw new NotCarried(`${at}.type`, `the custom tool '${name}'`);
  const hasSchemas = traits.schemasBy === "field";
  // Callers of other dialects mark what is to be cached in the same way.
  const mark = extra?.fields.cache_control;
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: inputSchema(parameters, strict === true && hasSchemas),
    ...(strict === true && hasSchemas && { strict }),
    ...(mark !== undefined && { cache_control: mark }),
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
