/**
 * Decides what `echo-1` answers: the text of each choice, before any is sent. How much of the
 * prompt comes back, and how often, is the caller's to say: all choices together have a bound.
 *
 * @module
 */

import type { CompletionIds } from "../../dialects/base/completion_ids.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import {
  lastOfRole,
  messagesOf,
  type OfferedTool,
  textOfMessage,
  toolsToCall,
} from "./conversation.ts";
import { SampleBudget, sampleSteps, UnsatisfiableSchema } from "./sample_schema.ts";
import { NO_TOKENS, type TokenSpan, type TokenTurns } from "./token_turns.ts";

/** A tool call to be made. */
export interface PlannedCall {
  readonly kind: OfferedTool["kind"];
  readonly id: string;
  readonly name: string;
  /** The arguments, or a custom tool's input. */
  readonly input: TokenSpan;
}

/** One choice of an answer. */
export interface PlannedChoice {
  /** The content; empty when there are calls. */
  readonly content: TokenSpan;
  readonly calls: readonly PlannedCall[];
  /** Tokens of the content, or of the calls' names and arguments. */
  readonly tokenCount: number;
  readonly finishReason: "stop" | "length" | "tool_calls";
}

/** What the echo begins with; `seed` and the number of the choice pick one. */
const FRAMES = ["You said: ", "I heard: ", "Your words were: ", "Echo: "];
const MAX_CHOICES = 128;
/** Of all choices and their calls; an upstream's answer is read up to twice as many bytes. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** What a call takes in an answer besides its name and its input. */
const CHARACTERS_PER_CALL = 200;
/** A step of sampling takes as long as so many characters of a text that is counted. */
const CHARACTERS_PER_STEP = 5_000;
/** As at OpenAI. */
const MAX_STOPS = 4;
/** Longer ones take quadratic time to look for in a long text. */
const MAX_STOP_CHARACTERS = 200;

/**
 * Plans the choices for a body.
 *
 * @throws {UpstreamError} `caller` when a field of the body cannot be met; `aborted`, when the
 * turns are.
 */
export async function planEcho(
  body: JsonObject,
  { ids, turns }: { readonly ids: CompletionIds; readonly turns: TokenTurns },
): Promise<readonly PlannedChoice[]> {
  const count = wholeNumber(body, "n", { least: 1, most: MAX_CHOICES }) ?? 1;
  const limit = wholeNumber(body, "max_completion_tokens", { least: 1 }) ??
    wholeNumber(body, "max_tokens", { least: 1 }) ?? Infinity;
  const stops = stopsOf(body.stop);
  const most = { tokens: limit, characters: Math.floor(MAX_CHARACTERS / count) };
  const tools = toolsToCall(body);
  if (tools.length > 0) {
    const planned = await planCalls(tools, body, { turns, most });
    // Only the ids of their calls tell the choices apart.
    return Array.from({ length: count }, () => ({
      ...planned,
      calls: planned.calls.map((call) => ({ ...call, id: ids.toolCall() })),
    }));
  }
  const sample = await sampleText(body, turns);
  // There are no more different ones than frames, however many are asked for.
  const different: PlannedChoice[] = [];
  const kinds = sample === undefined ? Math.min(count, FRAMES.length) : 1;
  for (let index = 0; index < kinds; index++) {
    different.push(await planText(sample ?? textFor(body, index), { turns, most, stops }));
  }
  return Array.from({ length: count }, (_, index) => different[index % kinds]!);
}

/** Of one choice. */
interface Most {
  readonly tokens: number;
  readonly characters: number;
}

async function planText(
  text: string,
  { turns, most, stops }: {
    readonly turns: TokenTurns;
    readonly most: Most;
    readonly stops: readonly string[];
  },
): Promise<PlannedChoice> {
  const content = await turns.take(beforeStop(text, stops), most);
  return {
    content,
    calls: [],
    tokenCount: content.tokens,
    finishReason: content.end < content.text.length ? "length" : "stop",
  };
}

/** The calls of one choice, which have no ids yet. */
async function planCalls(
  tools: readonly OfferedTool[],
  body: JsonObject,
  { turns, most }: { readonly turns: TokenTurns; readonly most: Most },
): Promise<Omit<PlannedChoice, "calls"> & { readonly calls: readonly Omit<PlannedCall, "id">[] }> {
  const calls: Omit<PlannedCall, "id">[] = [];
  const budget = new SampleBudget();
  let { characters } = most;
  let used = 0;
  let isCut = false;
  for (const tool of tools) {
    const { kind, name } = tool;
    characters -= name.length + CHARACTERS_PER_CALL;
    isCut = used >= most.tokens || characters < 0;
    if (isCut) break;
    used += await turns.count(name);
    const text = await inputFor(tool, { body, budget, turns });
    const input = await turns.take(text, {
      tokens: Math.max(0, most.tokens - used),
      characters,
    });
    calls.push({ kind, name, input });
    used += input.tokens;
    characters -= input.end;
    isCut = used > most.tokens || input.end < text.length;
    if (isCut) break;
  }
  return {
    content: NO_TOKENS,
    calls,
    tokenCount: Math.min(used, most.tokens),
    finishReason: isCut ? "length" : "tool_calls",
  };
}

async function inputFor(
  tool: OfferedTool,
  { body, budget, turns }: {
    readonly body: JsonObject;
    readonly budget: SampleBudget;
    readonly turns: TokenTurns;
  },
): Promise<string> {
  if (tool.kind === "custom") return lastUserText(body);
  const schema = isObject(tool.parameters) ? tool.parameters : { type: "object" };
  return JSON.stringify(await sampleFor(schema, { param: "tools", budget, turns }));
}

/** What the schema of an answer asks for, the same in each choice; `undefined` where there is none. */
async function sampleText(body: JsonObject, turns: TokenTurns): Promise<string | undefined> {
  const format = body.response_format;
  if (!isObject(format) || format.type !== "json_schema") return undefined;
  const schema = isObject(format.json_schema) ? format.json_schema.schema : undefined;
  return JSON.stringify(
    await sampleFor(schema ?? { type: "object" }, { param: "response_format", turns }),
  );
}

function textFor(body: JsonObject, index: number): string {
  const format = body.response_format;
  if (isObject(format) && format.type === "json_object") {
    return JSON.stringify({ echo: lastUserText(body) });
  }
  const last = messagesOf(body).at(-1);
  if (isObject(last) && last.role === "tool") return `The tool answered: ${textOfMessage(last)}`;
  const seed = Number.isSafeInteger(body.seed) ? Math.abs(body.seed as number) : 0;
  return FRAMES[(seed + index) % FRAMES.length]! + lastUserText(body);
}

function lastUserText(body: JsonObject): string {
  const text = textOfMessage(lastOfRole(messagesOf(body), "user"));
  return text === "" ? "nothing" : text;
}

async function sampleFor(
  schema: unknown,
  { param, budget, turns }: {
    readonly param: string;
    readonly budget?: SampleBudget;
    readonly turns: TokenTurns;
  },
): Promise<unknown> {
  try {
    return await turns.finish(sampleSteps(schema, budget), CHARACTERS_PER_STEP);
  } catch (error) {
    if (!(error instanceof UnsatisfiableSchema)) throw error;
    throw new UpstreamError("caller", error.message, {
      status: 400,
      code: "invalid_value",
      param,
      publicMessage: `Invalid schema in '${param}': ${error.message}.`,
      cause: error,
    });
  }
}

/** @throws {UpstreamError} `caller` for more or longer ones than can be looked for in any text. */
function stopsOf(stop: unknown): readonly string[] {
  const given = Array.isArray(stop) ? stop : [stop];
  const stops = given.filter((one) => typeof one === "string" && one !== "");
  if (stops.length <= MAX_STOPS && stops.every((one) => one.length <= MAX_STOP_CHARACTERS)) {
    return stops;
  }
  throw invalidValue(
    "stop",
    `expected at most ${MAX_STOPS} texts of at most ${MAX_STOP_CHARACTERS} characters`,
  );
}

function beforeStop(text: string, stops: readonly string[]): string {
  let end = text.length;
  for (const one of stops) {
    const at = text.indexOf(one);
    if (at >= 0) end = Math.min(end, at);
  }
  return text.slice(0, end);
}

function wholeNumber(
  body: JsonObject,
  field: string,
  range: { readonly least: number; readonly most?: number },
): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  const most = range.most ?? Number.MAX_SAFE_INTEGER;
  if (
    Number.isSafeInteger(value) && (value as number) >= range.least && (value as number) <= most
  ) {
    return value as number;
  }
  const bounds = range.most === undefined ? `at least ${range.least}` : `${range.least} to ${most}`;
  throw invalidValue(field, `expected a whole number, ${bounds}`);
}

function invalidValue(field: string, expected: string): UpstreamError {
  return new UpstreamError("caller", `Invalid value for '${field}'`, {
    status: 400,
    code: "invalid_value",
    param: field,
    publicMessage: `Invalid value for '${field}': ${expected}.`,
  });
}
