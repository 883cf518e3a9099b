/**
 * Repairs a complete answer: every key that OpenAI's ChatCompletion requires is
 * there, and its usage is normalised.
 *
 * @module
 */

import { finishWord } from "../../../dialects/openai_chat/finish_reasons.ts";
import { searchesTold, withSearches } from "../../../dialects/openai_chat/searches.ts";
import { tierOf } from "../../../dialects/openai/settings.ts";
import type { Answer } from "../../../dialects/base/answer.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { repairMessage, textOf } from "./repair_message.ts";
import {
  findUsage,
  normaliseUsage,
  type UsageBounds,
} from "../../../dialects/openai/normalise_usage.ts";

/** What an answer is completed with. */
export interface AnswerContext {
  readonly ids: CompletionIds;
  readonly upstreamModel: string;
  /** Unix time in seconds. */
  readonly nowSeconds: number;
  readonly bounds: UsageBounds;
}

/**
 * Repairs `body` in place.
 *
 * @returns `undefined` when it is no chat completion (no list of choices).
 */
export function convertAnswer(
  body: JsonObject,
  context: AnswerContext,
): Answer | undefined {
  const { choices } = body;
  if (!Array.isArray(choices) || !choices.every(isObject)) return undefined;
  const found = findUsage(body);
  const normalised = found === undefined
    ? undefined
    : withSearches(normaliseUsage(found.raw, context.bounds), searchesTold(found.raw));

  if ("error" in body) delete body.error;
  if (nonEmptyString(body.id) === undefined) body.id = context.ids.completion();
  body.object = "chat.completion";
  if (!isUnixTime(body.created)) body.created = context.nowSeconds;
  if (nonEmptyString(body.model) === undefined) body.model = context.upstreamModel;
  choices.forEach((choice, position) => repairChoice(choice, position, context.ids));
  if (normalised === undefined) delete body.usage;
  else body.usage = normalised.body;

  return {
    body,
    usage: normalised?.usage,
    terms: tierOf(body),
    text: () => choices.map((choice) => textOf(choice.message as JsonObject)).join(""),
  };
}

/** Whether a value is a time that a client can show: a positive whole number. */
export function isUnixTime(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0;
}

function repairChoice(choice: JsonObject, position: number, ids: CompletionIds): void {
  if (!Number.isInteger(choice.index)) choice.index = position;
  if ("usage" in choice) delete choice.usage;
  if (!isObject(choice.message)) choice.message = {};
  const message = choice.message as JsonObject;
  message.role = "assistant";
  repairMessage(message);
  if (typeof message.content !== "string") message.content = null;
  message.refusal ??= null;
  if (Array.isArray(message.tool_calls)) {
    message.tool_calls.forEach((call) => repairCall(call, ids));
  }
  const reason = nonEmptyString(choice.finish_reason) ?? "stop";
  choice.finish_reason = requireFinish(reason, message.tool_calls !== undefined);
  choice.logprobs ??= null;
}

/**
 * The word for an end that callers know.
 *
 * @throws {UpstreamError} `broken` where the upstream has given its answer up.
 */
export function requireFinish(word: string, hasCalls: boolean): string {
  const known = finishWord(word, hasCalls);
  if (known !== undefined) return known;
  throw new UpstreamError("broken", `The upstream gave up its answer: '${word.slice(0, 64)}'`);
}

function repairCall(call: unknown, ids: CompletionIds): void {
  if (!isObject(call)) return;
  if (nonEmptyString(call.id) === undefined) call.id = ids.toolCall();
  if (nonEmptyString(call.type) === undefined) call.type = "function";
  const called = call.function;
  if (!isObject(called)) return;
  if (typeof called.arguments !== "string") {
    called.arguments = JSON.stringify(called.arguments ?? {});
  }
}
