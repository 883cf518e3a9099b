/**
 * A request in the neutral form as Bedrock's Converse takes it, built from nothing. Left out are
 * settings that it has not and that make no other answer, such as a seed.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { ModelTraits } from "../../domain/model_traits.ts";
import type { WriteOptions } from "../base/turns_format.ts";
import { wordsOfFormat } from "../turns/format_words.ts";
import { outputSchema } from "../turns/output_schema.ts";
import { forcesCall } from "../turns/forces_call.ts";
import { fieldsOf, NotCarried } from "../turns/refusals.ts";
import { THINKING_BUDGETS } from "../turns/thinking_budgets.ts";
import type { OutputFormat, Tool, ToolChoice, TurnsRequest } from "../turns/turns_request.ts";
import { traitsOf } from "./model_traits.ts";
import { CONVERSE } from "./names.ts";
import { writeBlock } from "./write_blocks.ts";

/**
 * Writes a request; the model's name is no part of it.
 *
 * @throws {NotCarried} Naming what the dialect has not.
 * @throws {UpstreamError} `caller`, where a call's arguments are no JSON object.
 */
export function writeRequest(request: TurnsRequest, { model, supports }: WriteOptions): JsonObject {
  const traits = traitsOf(model, supports);
  if (request.logprobs !== undefined) throw new NotCarried("logprobs", "'logprobs'");
  const schema = traits.schemasBy === "field" ? schemaOf(request.format) : undefined;
  const { messages, system } = writeMessages(request, schema !== undefined);
  const thinking = thinkingOf(request, traits);
  // Claude takes no temperature while it thinks.
  const isSampled = traits.sampling === true && thinking?.thinking === undefined;
  const inference = inferenceOf(request, isSampled);
  return {
    ...fieldsOf(request.others, [CONVERSE]),
    ...(system.length > 0 && { system }),
    messages,
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...toolConfig(request, messages, traits),
    ...(schema !== undefined && { outputConfig: { textFormat: schema } }),
    ...(thinking !== undefined && { additionalModelRequestFields: thinking }),
  };
}

interface Draft {
  readonly role: "user" | "assistant";
  readonly results: JsonObject[];
  readonly content: JsonObject[];
}

/** The sides take turns, with the results of tools before anything else that is said with them. */
function writeMessages({ instructions, turns, format }: TurnsRequest, isFormatSet: boolean) {
  const system = instructions.flatMap(writeBlock);
  const drafts: Draft[] = [];
  for (const { role, blocks } of turns) {
    const written = blocks.flatMap(writeBlock);
    if (role === "system") {
      system.push(...written);
      continue;
    }
    if (written.length === 0) continue;
    let draft = drafts.at(-1);
    if (draft?.role !== role) drafts.push(draft = { role, results: [], content: [] });
    for (const block of written) {
      (block.toolResult !== undefined ? draft.results : draft.content).push(block);
    }
  }
  if (format !== undefined && !isFormatSet) system.push({ text: wordsOfFormat(format) });
  const messages = drafts.map(({ role, results, content }) => ({
    role,
    content: [...results, ...content],
  }));
  return { system, messages };
}

/** `undefined` where there is none: for JSON of any form there is no field. */
function schemaOf(format: OutputFormat | undefined): JsonObject | undefined {
  if (format?.type !== "schema") return undefined;
  const { name, description, schema } = format;
  return {
    type: "json_schema",
    structure: {
      jsonSchema: {
        schema: JSON.stringify(outputSchema(schema)),
        name,
        ...(description !== undefined && { description }),
      },
    },
  };
}

function inferenceOf({ settings, maxOutputTokens }: TurnsRequest, isSampled: boolean): JsonObject {
  const { temperature, topP, stop } = settings;
  const stops = [stop ?? []].flat().filter((one) => one.trim() !== "");
  return {
    ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
    // Several models take one of the two.
    ...(isSampled && temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...(isSampled && temperature === undefined && topP !== undefined && { topP }),
    ...(stops.length > 0 && { stopSequences: stops }),
  };
}

function thinkingOf(request: TurnsRequest, traits: ModelTraits): JsonObject | undefined {
  const { effort, maxOutputTokens } = request;
  const { thinking } = traits;
  if (effort === undefined || (effort === "none" && thinking !== "reasoning_effort")) {
    return undefined;
  }
  const isForced = forcesCall(request, traits);
  switch (thinking) {
    case "effort":
      return {
        ...(!isForced && { thinking: { type: "adaptive" } }),
        output_config: { effort: effort === "minimal" ? "low" : effort },
      };
    case "budget": {
      const budget = THINKING_BUDGETS[effort] ?? THINKING_BUDGETS.medium!;
      const most = maxOutputTokens === undefined ? budget : Math.min(budget, maxOutputTokens - 1);
      return isForced || most < THINKING_BUDGETS.low!
        ? undefined
        : { thinking: { type: "enabled", budget_tokens: most } };
    }
    case "reasoning_effort":
      return { reasoning_effort: effort };
    default:
      return undefined;
  }
}

/** There is no word for no tools: they are left out, but where earlier calls have to have some. */
function toolConfig(
  { tools, choice }: TurnsRequest,
  messages: readonly { readonly content: readonly JsonObject[] }[],
  { forcedTools }: ModelTraits,
): JsonObject {
  if (choice?.mode === "other") throw new NotCarried(`${choice.other.at}.type`, choice.other.what);
  const allowed = choice?.mode === "named" ? undefined : choice?.allowed?.map(({ name }) => name);
  const offered = choice?.mode === "none"
    ? []
    : tools.map(toolOf).filter(({ name }) => allowed === undefined || allowed.includes(name));
  const called = offered.length > 0 ? [] : [
    ...new Set(
      messages.flatMap(({ content }) =>
        content.flatMap(({ toolUse }) =>
          toolUse === undefined ? [] : [String((toolUse as JsonObject).name)]
        )
      ),
    ),
  ];
  const specs = [
    ...offered,
    ...called.map((name) => ({ name, inputSchema: { json: { type: "object" } } })),
  ];
  if (specs.length === 0) return {};
  const toolChoice = offered.length === 0 ? undefined : choiceOf(choice, forcedTools === true);
  return {
    toolConfig: {
      tools: specs.map((toolSpec) => ({ toolSpec })),
      ...(toolChoice !== undefined && { toolChoice }),
    },
  };
}

function toolOf(tool: Tool) {
  if (tool.kind === "other") throw new NotCarried(`${tool.at}.type`, tool.what);
  const { kind, name, description, parameters, at } = tool;
  if (kind === "custom") throw new NotCarried(`${at}.type`, `the custom tool '${name}'`);
  return {
    name,
    // A blank one is refused.
    ...(description !== undefined && description.trim() !== "" && { description }),
    inputSchema: { json: { type: "object", ...parameters } },
  };
}

/** A model that cannot be made to call a tool is left to choose. */
function choiceOf(choice: ToolChoice | undefined, mayForce: boolean): JsonObject | undefined {
  switch (choice?.mode) {
    case "required":
      return mayForce ? { any: {} } : { auto: {} };
    case "named":
      return mayForce ? { tool: { name: choice.tool.name } } : { auto: {} };
    case "auto":
      return { auto: {} };
    default:
      return undefined;
  }
}
