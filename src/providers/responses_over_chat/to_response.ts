/**
 * A chat completion as a Response object.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { CompletionIds } from "../completion_ids.ts";
import { asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { ProviderCall } from "../provider.ts";
import type { Answer } from "../../dialects/answer.ts";
import { responseUsageBody } from "../../dialects/openai_responses/usage_body.ts";
import { thoughtsOf } from "../thoughts.ts";
import {
  callItem,
  type ItemStatus,
  logprobsOf,
  messageItem,
  reasoningItem,
  refusalPart,
  summaryPart,
  textPart,
} from "./output_items.ts";
import { endResponse, responseEnd } from "./response_end.ts";
import { responseHead, showServiceTier } from "./response_head.ts";

/** What a conversion to the Responses API makes of its own. */
export interface ToResponseOptions {
  readonly clock: Clock;
  readonly ids: CompletionIds;
}

/**
 * Converts an answer: its first choice, in the order reasoning, message, calls.
 *
 * @param call The call in the form of the Responses API, whose settings are said back.
 * @throws {UpstreamError} `broken`, when the finish reason says that the upstream failed.
 */
export function toResponse(
  answer: Answer,
  call: ProviderCall,
  { clock, ids }: ToResponseOptions,
): Answer {
  const { body: chat } = answer;
  const choice = Array.isArray(chat.choices) ? chat.choices.find(isObject) : undefined;
  const end = responseEnd(choice?.finish_reason);
  const body = responseHead(call.body, chat);
  body.output = outputOf(choice ?? {}, end.status, ids);
  endResponse(body, end, Math.floor(clock.now() / 1000));
  showServiceTier(body, chat.service_tier);
  const { usage, text } = answer;
  if (usage !== undefined) body.usage = responseUsageBody(usage, asObject(chat.usage));
  return { body, usage, text };
}

/** Makes one item, given what it says of itself. */
type Draft = (status: ItemStatus) => JsonObject;

function outputOf(choice: JsonObject, status: ItemStatus, ids: CompletionIds): JsonObject[] {
  const message = isObject(choice.message) ? choice.message : {};
  const drafts: Draft[] = [];
  const thoughts = thoughtsOf(message);
  if (thoughts !== "") {
    drafts.push(() => reasoningItem(ids.item("rs"), [summaryPart(thoughts)]));
  }
  const content = contentOf(message, choice.logprobs);
  if (content.length > 0) {
    drafts.push((status) => messageItem(ids.item("msg"), { content, status }));
  }
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  for (const call of calls) {
    if (isObject(call)) drafts.push((status) => itemOfCall(call, status, ids));
  }
  // Only the last one can have been cut.
  return drafts.map((draft, at) => draft(at < drafts.length - 1 ? "completed" : status));
}

function contentOf({ content, refusal }: JsonObject, logprobs: unknown): JsonObject[] {
  const parts: JsonObject[] = [];
  if (typeof content === "string" && content !== "") {
    parts.push(textPart(content, logprobsOf(logprobs)));
  }
  if (typeof refusal === "string" && refusal !== "") parts.push(refusalPart(refusal));
  return parts;
}

function itemOfCall(call: JsonObject, status: ItemStatus, ids: CompletionIds): JsonObject {
  const callId = String(call.id);
  if (isObject(call.custom)) {
    const { name, input } = call.custom;
    return callItem(ids.item("ctc"), {
      kind: "custom",
      callId,
      name: stringOr(name, ""),
      input: stringOr(input, ""),
    }, status);
  }
  const { name, arguments: given } = isObject(call.function) ? call.function : {};
  const input = stringOr(given, "");
  return callItem(ids.item("fc"), {
    kind: "function",
    callId,
    name: stringOr(name, ""),
    // Some servers send nothing for no arguments, which is no JSON.
    input: input === "" && status === "completed" ? "{}" : input,
  }, status);
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
